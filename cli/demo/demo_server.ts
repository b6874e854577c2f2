/** What the demos share: where they listen, and how they end when they cannot. */
import type { Server } from "node:http";
import { parseArgs } from "node:util";
import { failureText, refusedFailure, toFailure, usageFailure } from "../failure.ts";
import { checkPort } from "../local/front_door.ts";
import { printHelpIfAsked } from "../program_help.ts";

/** A demo: what it is, its usual port, and the variable of the environment that names another. */
export type Demo = { name: string; defaultPort: number; variable: string };

export const demoIssuer: Demo = { name: "issuer", defaultPort: 9090, variable: "DEMO_ISSUER_PORT" };
export const demoProvider: Demo = {
  name: "provider",
  defaultPort: 9091,
  variable: "DEMO_PROVIDER_PORT",
};

/** In milliseconds: for a demo that was stopped just now to leave its port. */
const timeoutMs = 1_000;

/** Where a demo is, at that port, the environment's or the usual one. Throws a USAGE Failure. */
export function demoUrl({ defaultPort, variable }: Demo, option?: string): string {
  const text = option ?? (process.env[variable] || `${defaultPort}`);
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65535) return `http://localhost:${port}`;
  throw usageFailure(`${option ? "--port" : variable} is not a port from 1 to 65535: "${text}"`);
}

/**
 * Runs the server that `make` makes of the demo's URL and the values of these options, and of `--port`.
 * Says `<name> at <url>` on standard error once it listens; ends with a message and an exit code where
 * it cannot.
 */
export async function runDemo<Name extends string>(
  demo: Demo,
  options: Name[],
  make: (url: string, values: Partial<Record<Name, string>>) => Promise<Server> | Server,
): Promise<void> {
  const names = ["port" as const, ...options];
  const usageText = `Usage: npm run -s demo-${demo.name} -- ${names.map((one) => `[--${one} …]`).join(" ")}`;
  printHelpIfAsked(usageText);
  try {
    const values = readArguments(names, usageText);
    const url = demoUrl(demo, values.port);
    await listen(await make(url, values), url, demo);
    process.stderr.write(`${demo.name} at ${url}\n`);
  } catch (error) {
    const failure = toFailure(error);
    process.stderr.write(failureText(failure));
    process.exit(failure.exitCode);
  }
}

function readArguments<Name extends string>(
  names: Name[],
  usageText: string,
): Partial<Record<Name, string>> {
  try {
    const options = Object.fromEntries(names.map((one) => [one, { type: "string" as const }]));
    return parseArgs({ options }).values as Partial<Record<Name, string>>;
  } catch (error) {
    const why = error instanceof Error ? error.message : error;
    throw usageFailure(`${why}. ${usageText}`);
  }
}

/** On this machine only. Throws a PORT Failure. */
async function listen(server: Server, url: string, { variable }: Demo): Promise<void> {
  // The URL does not have the port that its scheme has anyway.
  const port = Number(new URL(url).port || 80);
  const failed = ({ code }: NodeJS.ErrnoException) => {
    const why = code === "EADDRINUSE" ? "is in use" : `cannot be had: ${code}`;
    throw refusedFailure("PORT", `Port ${port} ${why}. Choose another with --port or ${variable}.`);
  };
  await checkPort(port, timeoutMs).catch(failed);
  const listening = new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, "localhost", resolve);
  });
  await listening.catch(failed);
}
