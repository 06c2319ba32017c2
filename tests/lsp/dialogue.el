;;; dialogue.el --- Eglot holds the dialogue of dialogue.json  -*- lexical-binding: t -*-
;; SPDX-License-Identifier: Apache-2.0
;;; Commentary:
;; emacs --batch -l dialogue.el.  The environment has the command (AMALTHEA), the model (MODEL) and the file for the
;; answers (SHOWN), one JSON value per line.
;;; Code:
(require 'package)
(package-initialize)
(require 'eglot)
(require 'json)
(require 'nxml-mode)

(defvar shown nil)
(defun show (key value)
  (push (json-serialize (vector key value)) shown)
  (with-temp-file (getenv "SHOWN")
    (insert (string-join (reverse shown) "\n") "\n")))

(cl-defmethod eglot-client-capabilities :around (_server)
  (let ((capabilities (cl-call-next-method)))
    (plist-put (plist-get capabilities :textDocument) :diagnostic (list :dynamicRegistration :json-false))
    capabilities))

(defun pulled (server document previous)
  (jsonrpc-request server :textDocument/diagnostic
                   (append (list :textDocument document) (and previous (list :previousResultId previous)))
                   :timeout 30))
(defun summary (report)
  (if (equal (plist-get report :kind) "unchanged")
      "unchanged"
    (vconcat (list (plist-get report :kind))
             (mapcar (lambda (one) (plist-get one :code)) (plist-get report :items)))))

(defun run ()
  (find-file (getenv "MODEL"))
  (nxml-mode)
  (setq eglot-sync-connect 30
        eglot-server-programs (list (list 'nxml-mode (getenv "AMALTHEA") "lsp" "--stdio" "--delay" "1000")))
  (apply #'eglot--connect (eglot--guess-contact))
  (let* ((server (eglot-current-server))
         (document (eglot--TextDocumentIdentifier))
         (names nil) (report nil) (failure nil))
    (unless eglot--managed-mode (eglot--managed-mode 1))
    (show "started" (plist-get (eglot--server-info server) :name))
    (with-timeout (30 (error "Waited in vain for symbols"))
      (while (not names)
        (setq names (mapcar (lambda (one) (plist-get one :name))
                            (jsonrpc-request server :workspace/symbol '(:query "steer"))))
        (accept-process-output nil 0.02)))
    (show "symbols" (vconcat (sort names #'string<)))
    (setq report (pulled server document nil))
    (show "pulled" (summary report))
    (show "pulled again" (summary (pulled server document (plist-get report :resultId))))
    (let* ((edit (jsonrpc-request server :textDocument/rename
                                  (list :textDocument document :position '(:line 7 :character 50)
                                        :newName "Drive & go")
                                  :timeout 30))
           (edits (if (plist-get edit :documentChanges)
                      (plist-get (aref (plist-get edit :documentChanges) 0) :edits)
                    (cadr (plist-get edit :changes)))))
      (show "rename"
            (vconcat
             (mapcar (lambda (one)
                       (let* ((range (plist-get one :range)) (start (plist-get range :start)))
                         (format "%d %d %d %s" (plist-get start :line) (plist-get start :character)
                                 (plist-get (plist-get range :end) :character)
                                 (string-replace "&amp;" "&"
                                                 (string-replace "%26" "&"
                                                                 (string-replace "+" " " (plist-get one :newText)))))))
                     (sort (append edits nil)
                           (lambda (a b) (< (plist-get (plist-get (plist-get a :range) :start) :line)
                                            (plist-get (plist-get (plist-get b :range) :start) :line))))))))
    (show "explained"
          (let ((text (plist-get (jsonrpc-request server :workspace/executeCommand
                                                  (list :command "amalthea.explain"
                                                        :arguments (vector (list :uri (plist-get document :uri)
                                                                                 :name "Detection")))
                                                  :timeout 30)
                                 :value)))
            (substring text 0 (string-match "[^A-Za-z]" text))))
    (goto-char (point-max))
    (insert "<!-- later -->\n")
    (eglot--signal-textDocument/didChange)
    (let ((id (car (jsonrpc--async-request-1 server :textDocument/diagnostic (list :textDocument document)
                                          :success-fn (lambda (_) (setq failure "a result"))
                                          :error-fn (lambda (error) (setq failure (plist-get error :code)))))))
      (jsonrpc-notify server :$/cancelRequest (list :id id)))
    (with-timeout (30 (error "Waited in vain for the cancellation"))
      (while (not failure) (accept-process-output nil 0.02)))
    (show "cancelled" failure)
    (show "pulled after the edit" (summary (pulled server document nil)))
    (let ((process (jsonrpc--process server)))
      (jsonrpc-request server :shutdown nil :timeout 30)
      (jsonrpc-notify server :exit nil)
      (with-timeout (30 (error "Waited in vain for the end"))
        (while (process-live-p process) (accept-process-output nil 0.02)))
      (show "exit code" (process-exit-status process)))))

(condition-case failure
    (run)
  (error (show "failure" (format "%S" failure))))
;;; dialogue.el ends here
