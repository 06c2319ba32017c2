-- SPDX-License-Identifier: Apache-2.0
-- Neovim holds the dialogue of dialogue.json: nvim --headless -u NONE -n -c 'luafile dialogue.lua'. The environment has
-- the command (AMALTHEA), the model (MODEL) and the file for the answers (SHOWN), one JSON value per line.
local shown = assert(io.open(os.getenv("SHOWN"), "w"))
local function show(key, value)
  shown:write(vim.fn.json_encode({ key, value }), "\n")
  shown:flush()
end

local function run()
  vim.cmd("edit " .. vim.fn.fnameescape(os.getenv("MODEL")))
  local buffer = vim.api.nvim_get_current_buf()
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  capabilities.textDocument.diagnostic = vim.empty_dict()
  local ended
  local client_id = vim.lsp.start_client({
    name = "amalthea",
    cmd = { os.getenv("AMALTHEA"), "lsp", "--stdio", "--delay", "1000" },
    root_dir = vim.fn.getcwd(),
    capabilities = capabilities,
    on_exit = function(code) ended = code end,
  })
  assert(vim.lsp.buf_attach_client(buffer, client_id))
  local function wait_for(what, condition)
    if not vim.wait(30000, condition, 20) then error("waited in vain for " .. what) end
  end
  local client = vim.lsp.get_client_by_id(client_id)
  local function asked(method, params)
    local done, failure, result
    local _, id = client.request(method, params, function(err, answer) done, failure, result = true, err, answer end, buffer)
    return id, function()
      wait_for(method, function() return done end)
      return failure, result
    end
  end
  local function request(method, params)
    local _, answer = asked(method, params)
    local failure, result = answer()
    assert(not failure, vim.inspect(failure))
    return result
  end
  wait_for("the server", function() client = vim.lsp.get_client_by_id(client_id) return client and client.initialized end)
  show("started", client.name)
  local document = vim.lsp.util.make_text_document_params(buffer)
  local function pull(key, previous)
    local report = request("textDocument/diagnostic", { textDocument = document, previousResultId = previous })
    if report.kind == "unchanged" then
      show(key, report.kind)
    else
      local summary = { report.kind }
      for _, one in ipairs(report.items) do table.insert(summary, one.code) end
      show(key, summary)
    end
    return report
  end

  local names = {}
  wait_for("symbols", function() -- they may be asked for before the text has been read
    names = vim.tbl_map(function(one) return one.name end, request("workspace/symbol", { query = "steer" }))
    return #names > 0
  end)
  table.sort(names)
  show("symbols", names)
  local first = pull("pulled")
  pull("pulled again", first.resultId)
  local edits = {}
  local edit = request("textDocument/rename",
    { textDocument = document, position = { line = 7, character = 50 }, newName = "Drive & go" })
  for _, changes in pairs(edit.changes or { edit.documentChanges[1].edits }) do
    for _, one in ipairs(changes) do
      local text = one.newText:gsub("+", " "):gsub("%%26", "&"):gsub("&amp;", "&")
      table.insert(edits, string.format("%d %d %d %s", one.range.start.line, one.range.start.character,
        one.range["end"].character, text))
    end
  end
  table.sort(edits, function(a, b) return tonumber(a:match("%d+")) < tonumber(b:match("%d+")) end)
  show("rename", edits)
  local explained = request("workspace/executeCommand",
    { command = "amalthea.explain", arguments = { { uri = document.uri, name = "Detection" } } })
  show("explained", explained.value:match("^%a+"))

  vim.fn.append(vim.fn.line("$"), "<!-- later -->")
  vim.lsp.protocol.ErrorCodes.RequestCancelled = 0 -- else Neovim hides the answer
  local id, answer = asked("textDocument/diagnostic", { textDocument = document })
  client.cancel_request(id)
  local failure = answer()
  show("cancelled", failure.code)
  pull("pulled after the edit")

  vim.lsp.stop_client(client_id)
  wait_for("the end", function() return ended ~= nil end)
  show("exit code", ended)
end

local done, failure = pcall(run)
if not done then show("failure", tostring(failure)) end
shown:close()
vim.cmd("qa!")
