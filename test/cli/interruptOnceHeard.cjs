// Interrupts this process soon after it begins to listen for that, however slow the machine is.
process.once("newListener", function soon(name) {
  if (name === "SIGINT") setTimeout(() => process.kill(process.pid, "SIGINT"), 200);
  else process.once("newListener", soon);
});
