-- SPDX-License-Identifier: Apache-2.0
-- Neovim edits a model with `amalthea lsp`: nvim --headless -u NONE -n -c 'luafile neovim.lua'. The environment has the
-- command (AMALTHEA), the model (MODEL) and the file for what the editor shows (SHOWN), one JSON value per line.
local shown = assert(io.open(os.getenv("SHOWN"), "w"))
local function show(key, value)
  shown:write(vim.fn.json_encode({ key, value }), "\n")
  shown:flush()
end

local function run()
  vim.cmd("edit " .. vim.fn.fnameescape(os.getenv("MODEL")))
  local buffer = vim.api.nvim_get_current_buf()
  local ended
  local client = vim.lsp.start_client({
    name = "amalthea",
    cmd = { os.getenv("AMALTHEA"), "lsp" },
    root_dir = vim.fn.getcwd(),
    on_exit = function(code) ended = code end,
  })
  assert(vim.lsp.buf_attach_client(buffer, client))

  local function wait_for(what, condition)
    if not vim.wait(30000, condition, 20) then error("waited in vain for " .. what) end
  end
  wait_for("the server", function()
    local known = vim.lsp.get_client_by_id(client)
    return known and known.initialized
  end)
  local function diagnostics()
    return vim.tbl_map(function(one) return { one.code, one.lnum, one.severity } end, vim.diagnostic.get(buffer))
  end
  local function request(method, params)
    local answers = assert(vim.lsp.buf_request_sync(buffer, method, params, 30000))
    return answers[client].result
  end
  local function place(pattern)
    vim.fn.cursor(1, 1)
    assert(vim.fn.search(pattern) > 0, pattern)
    return vim.lsp.util.make_position_params(0, vim.lsp.get_client_by_id(client).offset_encoding)
  end
  local document = { textDocument = vim.lsp.util.make_text_document_params(buffer) }

  local lenses = {}
  wait_for("lenses", function()
    lenses = request("textDocument/codeLens", document) or {}
    return #lenses > 0
  end)
  show("lenses", vim.tbl_map(function(lens) return lens.command.title end, lenses))
  show("diagnostics", diagnostics())
  local hover = request("textDocument/hover", place("Steer?type"))
  show("hover", table.concat(vim.lsp.util.convert_input_to_markdown_lines(hover.contents), "\n"))
  show("symbols", #request("textDocument/documentSymbol", document))

  place("Steer?type")
  vim.lsp.buf.definition()
  wait_for("the definition", function() return vim.fn.getline(".") == '    <runnables name="Steer">' end)
  show("definition", vim.fn.col("."))

  -- A misspelled reference, its diagnostic and its quick fix.
  local good = vim.fn.getline(1, "$")
  place("Steer?type")
  vim.cmd("normal! xi§")
  wait_for("a diagnostic", function()
    return vim.tbl_contains(vim.tbl_map(function(one) return one.code end, vim.diagnostic.get(buffer)), "AM0203")
  end)
  local params = vim.lsp.util.make_range_params()
  params.context = { diagnostics = vim.lsp.diagnostic.get_line_diagnostics(buffer) }
  local actions = request("textDocument/codeAction", params)
  show("action", actions[1].title)
  vim.lsp.util.apply_workspace_edit(actions[1].edit, vim.lsp.get_client_by_id(client).offset_encoding)
  wait_for("no diagnostic", function() return #vim.diagnostic.get(buffer, { severity = 1 }) == 0 end)
  show("fixed", vim.deep_equal(good, vim.fn.getline(1, "$")))

  -- Not well-formed: one diagnostic, and answers as before.
  vim.fn.append(4, "<oops")
  wait_for("the syntax error", function()
    local all = vim.diagnostic.get(buffer)
    return #all == 1 and all[1].code == "AM0103"
  end)
  show("last state", request("textDocument/hover", place("Steer?type")) ~= nil)
  vim.cmd("5delete")
  wait_for("no diagnostic", function() return #vim.diagnostic.get(buffer, { severity = 1 }) == 0 end)

  vim.lsp.stop_client(client)
  wait_for("the end", function() return ended ~= nil end)
  show("exit code", ended)
end

local done, failure = pcall(run)
if not done then show("failure", tostring(failure)) end
shown:close()
vim.cmd("qa!")
