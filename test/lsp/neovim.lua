-- Neovim as a client: waits for a lost update, edits it away, and waits for its end. Exit code 0 when both came.
vim.cmd('edit ' .. vim.fn.fnameescape(vim.env.ISOLENS_FILE))
local id = vim.lsp.start_client({
  name = 'isolens',
  cmd = { vim.env.ISOLENS_NODE, vim.env.ISOLENS_SERVER, '--stdio' },
  root_dir = vim.fn.fnamemodify(vim.env.ISOLENS_FILE, ':h'),
  get_language_id = function() return 'sql' end,
})
vim.lsp.buf_attach_client(0, id)

local function lost_updates()
  return vim.tbl_filter(function(diagnostic)
    return diagnostic.code == 'lost-update'
  end, vim.diagnostic.get(0))
end

local found = vim.wait(60000, function() return #lost_updates() > 0 end, 20)
for _, diagnostic in ipairs(lost_updates()) do
  io.stdout:write(diagnostic.lnum + 1 .. ': ' .. diagnostic.message .. '\n')
end
vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'SELECT 1;' })
local gone = vim.wait(60000, function() return #lost_updates() == 0 end, 20)
io.stdout:write('found=' .. tostring(found) .. ' gone=' .. tostring(gone) .. '\n')
vim.lsp.stop_client(id)
vim.cmd(found and gone and 'qall!' or 'cquit 1')
