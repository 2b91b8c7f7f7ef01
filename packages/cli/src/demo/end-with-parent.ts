// Whatever ends the demo, also SIGKILL, closes this pipe: a job must not go on for ever with nobody to stop it.
process.stdin.on("end", () => process.exit(1)).resume();
process.stdin.on("error", () => process.exit(1));
