/** The code that the demos share: their addresses, and how they fail. */
import type { Server } from "node:http";
import { parseArgs } from "node:util";
import { failureText, refusedFailure, toFailure, usageFailure } from "../failure.ts";
import { checkPort } from "../local/front_door.ts";
import { printHelpIfAsked } from "../program_help.ts";

/** A demo: its name, its usual port, and the environment variable that can set another port. */
export type Demo = { name: string; defaultPort: number; variable: string };

export const demoIssuer: Demo = { name: "issuer", defaultPort: 9090, variable: "DEMO_ISSUER_PORT" };
export const demoProvider: Demo = {
  name: "provider",
  defaultPort: 9091,
  variable: "DEMO_PROVIDER_PORT",
};

/** In milliseconds: how long a demo that was just stopped may hold its port. */
const timeoutMs = 1_000;

/**
 * Returns the URL of a demo: at the given port, at the port of the environment, or at the usual port. Throws a USAGE
 * Failure.
 */
export function demoUrl({ defaultPort, variable }: Demo, option?: string): string {
  const text = option ?? (process.env[variable] || `${defaultPort}`);
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65535) return `http://localhost:${port}`;
  throw usageFailure(
    `${option ? "--port" : variable} must be a port from 1 to 65535; you gave "${text}"`,
  );
}

/**
 * Runs the server that `make` returns for the demo's URL and the values of these options and of `--port`. `help`
 * describes the demo and its options, without `--port`. Prints
 * `<name> at <url>` on standard error once it listens. If it cannot listen, it ends with a message and an exit code.
 */
export async function runDemo<Name extends string>(
  demo: Demo,
  options: Name[],
  help: string,
  make: (url: string, values: Partial<Record<Name, string>>) => Promise<Server> | Server,
): Promise<void> {
  const names = ["port" as const, ...options];
  const usageText = `Usage: npm run -s demo-${demo.name} -- ${names.map((name) => `[--${name} …]`).join(" ")}`;
  const portHelp = `  --port N        Port to listen on (default: ${demo.variable}, otherwise ${demo.defaultPort}).`;
  printHelpIfAsked([`${usageText}\n`, help, portHelp].join("\n"));
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
    const options = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
    return parseArgs({ options }).values as Partial<Record<Name, string>>;
  } catch (error) {
    const why = error instanceof Error ? error.message : error;
    throw usageFailure(`${why}. ${usageText}`);
  }
}

/** Listens on this machine only. Throws a PORT Failure. */
async function listen(server: Server, url: string, { variable }: Demo): Promise<void> {
  // A URL leaves out the default port of its scheme.
  const port = Number(new URL(url).port || 80);
  const failed = ({ code }: NodeJS.ErrnoException) => {
    const why = code === "EADDRINUSE" ? "is in use" : `cannot be opened: ${code}`;
    throw refusedFailure("PORT", `Port ${port} ${why}. Choose another with --port or ${variable}.`);
  };
  await checkPort(port, timeoutMs).catch(failed);
  const listening = new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, "localhost", resolve);
  });
  await listening.catch(failed);
}
