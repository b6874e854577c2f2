/** The entry point of platformctl. */
import { run } from "./run.ts";

process.stdout.on("error", (error) => {
  // The reader has closed the pipe, as `head` does.
  if ("code" in error && error.code === "EPIPE") process.exit(0);
  throw error;
});

await run(process.argv.slice(2), process);
