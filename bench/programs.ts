/** Programs that a run starts beside itself. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/**
 * Ends a program when this process ends, in whatever way it does: first of all that is done then, as
 * the program may write into the folder that the run removes.
 */
export function endWithRun(child: ChildProcess): void {
  const kill = () => void child.kill();
  process.prependOnceListener("exit", kill);
  child.once("exit", () => process.off("exit", kill));
}

/** Ends a program, unless it has ended by itself, and answers once it has. */
export async function endProgram(
  child: ChildProcess,
  signal: NodeJS.Signals = "SIGTERM",
): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}

/** A port of the loopback interface on which nobody listens, for a program that cannot choose one itself. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
