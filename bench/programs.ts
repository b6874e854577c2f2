/** The programs that a run starts. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/**
 * Ends a program when this process ends, in whatever way. The program ends before any other cleanup, because it may
 * write into the folder that the run removes.
 */
export function endWithRun(child: ChildProcess): void {
  const kill = () => void child.kill();
  process.prependOnceListener("exit", kill);
  child.once("exit", () => process.off("exit", kill));
}

/** Ends a program, unless it has already ended, and resolves once it has ended. */
export async function endProgram(
  child: ChildProcess,
  signal: NodeJS.Signals = "SIGTERM",
): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}

/** Returns a free port of the loopback interface, for a program that cannot choose one itself. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
