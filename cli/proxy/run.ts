/** Runs the proxy until a signal, or as long as a command. */
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Cancelled, hasCode, refusedFailure } from "../failure.ts";
import { openSession } from "../images/session.ts";
import { openUploadRecords } from "../images/upload_records.ts";
import { here, print, within } from "../surroundings.ts";
import { runCommand } from "./child.ts";
import { proxyServer } from "./server.ts";
import { SpoolSpace } from "./spool.ts";
import { Transfers } from "./transfers.ts";
import { newTurnsByKey } from "./turns.ts";

/** The options of the proxy. Sizes are in bytes. */
export type ProxyOptions = {
  /** 0 lets the system choose. */
  port: number;
  /** An IP address, or `localhost`. */
  address: string;
  hosts: string[];
  chunkSize: number;
  spoolSize: number;
  isQuiet: boolean;
  /** The command and its arguments. Without it, the proxy runs until SIGINT or SIGTERM. */
  command: string[];
};

/** The proxy has this name in the environment of the command. */
const addressVariable = "PLATFORM_PROXY";

/** In milliseconds: the time between two looks for connections that are no longer used. */
const idleMs = 100;

/** Returns the exit code. Throws a Failure, or Cancelled if a signal has cut transfers off. */
export async function runProxy(options: ProxyOptions): Promise<number> {
  const session = await openSession();
  const abort = new AbortController();
  const transfers = new Transfers(here().stderr, {
    isLive: options.command.length === 0,
    isQuiet: options.isQuiet,
  });
  const { server, close } = proxyServer({
    ...{ session, transfers, chunkSize: options.chunkSize, hosts: options.hosts },
    records: await openUploadRecords(),
    space: new SpoolSpace(options.spoolSize),
    oneAtATime: newTurnsByKey(),
    signal: abort.signal,
  });
  await within(here(), () => listen(server, options));
  const host = hostOf(server, options.address);
  if (!session.isLoggedIn) transfers.note("You are not logged in, so only public images work.");
  try {
    if (options.command.length > 0)
      return await runCommand(options.command, { [addressVariable]: host });
    const signals = nextSignals();
    print(`Registry on http://${host}, upstream ${session.url}`);
    await signals.first;
    await endOrAbort(server, transfers, signals.second);
    return 0;
  } finally {
    abort.abort(new Error("the proxy has been stopped"));
    server.close();
    server.closeAllConnections();
    await close();
  }
}

async function listen(server: Server, { port, address }: ProxyOptions): Promise<void> {
  server.listen(port, address);
  try {
    await once(server, "listening");
  } catch (thrown) {
    const where = `${address}:${port}`;
    if (hasCode(thrown, "EADDRINUSE")) {
      const advice = "Choose another one with --port, or any free one with --port 0.";
      throw refusedFailure("PORT", `The port of ${where} is already in use. ${advice}`);
    }
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw refusedFailure("LISTEN", `Cannot listen on ${where}: ${why}`);
  }
}

/** The host in front of the names of images. Docker takes plain HTTP from `localhost` without a setting. */
function hostOf(server: Server, address: string): string {
  const { port, family } = server.address() as AddressInfo;
  if (address === "127.0.0.1" || address === "localhost") return `localhost:${port}`;
  return family === "IPv6" ? `[${address}]:${port}` : `${address}:${port}`;
}

type Signal = "SIGINT" | "SIGTERM";

/** The first signal that stops the command, and the second one. */
function nextSignals(): { first: Promise<Signal>; second: Promise<Signal> } {
  const [first, second] = [Promise.withResolvers<Signal>(), Promise.withResolvers<Signal>()];
  let seen = 0;
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    here().on(signal, () => (seen++ === 0 ? first : second).resolve(signal));
  return { first: first.promise, second: second.promise };
}

/** Takes no more connections, and waits for the requests that are underway. Throws Cancelled after a second signal. */
async function endOrAbort(
  server: Server,
  transfers: Transfers,
  second: Promise<Signal>,
): Promise<void> {
  const ended = new Promise<undefined>((done) => server.close(() => done(undefined)));
  // A client keeps its connection after the last response.
  const idle = setInterval(() => server.closeIdleConnections(), idleMs);
  if (transfers.count > 0)
    transfers.note(
      "Waiting for the layers that are underway. To stop at once, press Ctrl-C again.",
    );
  const signal = await Promise.race([ended, second]).finally(() => clearInterval(idle));
  if (signal) throw new Cancelled(signal);
}
