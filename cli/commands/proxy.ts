/** `platformctl proxy`: a registry on this machine for clients that cannot cut layers into chunks. */
import { type Command, InvalidArgumentError } from "commander";
import { mebibyte } from "../images/chunks.ts";
import { readListenAddress } from "../proxy/guard.ts";
import { runProxy } from "../proxy/run.ts";
import { here } from "../surroundings.ts";
import { withExamples } from "./answer.ts";
import { chunkSizeOption } from "./chunk_size.ts";

/** The port is part of the names of images, so it should be the same on each machine. */
const defaultPort = 5050;

const about = `Serve the registry on this machine, for docker, podman and other clients.

Push to localhost:${defaultPort}/NAMESPACE/NAME. The proxy logs in with your login, so
the client needs none. It sends large layers in chunks, or to R2 directly if the
platform offers that, so a layer may be larger than one request may be. If the
connection to the platform is cut, it continues where it stopped. Everything
else passes through, pulls too.

With a COMMAND, the proxy runs as long as the command and ends with its exit
code. The command finds the address in PLATFORM_PROXY. Without one, the proxy
runs until Ctrl-C, and then waits for the layers that are underway. A second
Ctrl-C stops it at once.

The proxy listens only on this machine. Every user and every program of this
machine can push and pull with your login while it runs. It refuses the requests
of web pages: those with the header Origin or Sec-Fetch-Site, and those with
another Host than localhost, 127.0.0.1 and [::1].

Layers wait in the folder for temporary files, which TMPDIR sets: two chunks of
each of six layers at most. A layer that goes to R2 directly waits there as a
whole. No other user can read these files, and they end with the proxy.`;

type Options = {
  port: number;
  listen: string;
  allowRemote?: boolean;
  acceptHost: string[];
  chunkSize: number;
  spoolSize: number;
  quiet?: boolean;
};

/** Adds `proxy`. */
export function addProxy(program: Command): void {
  withExamples(
    program
      .command("proxy")
      .summary("Let docker and other clients push layers of any size.")
      .description(about)
      .argument("[command...]", "Command to run, after --.")
      .option("--port <port>", "Port to listen on, or 0 for any free one.", parsePort, defaultPort)
      .option("--listen <address>", "Address to listen on.", "127.0.0.1")
      .option("--allow-remote", "Let other machines use your login, with --listen.")
      .option(
        "--accept-host <name>",
        "Also accept requests to this host, such as host.docker.internal. Can be repeated.",
        (name: string, names: string[]) => [...names, name.toLowerCase()],
        [],
      )
      .addOption(chunkSizeOption())
      .option(
        "--spool-size <gibibytes>",
        "Disk space in GiB for layers that go to R2 directly. Layers without space go in chunks.",
        parseSpoolSize,
        10,
      )
      .option("--quiet", "Print nothing about layers."),
    "platformctl proxy",
    "docker push localhost:5050/acme.example/app:1.0",
    "platformctl proxy -- docker push localhost:5050/acme.example/app:1.0",
    "platformctl proxy --port 0 -- sh -c 'crane push app.tar $PLATFORM_PROXY/acme.example/app:1.0'",
  ).action(async (command: string[], options: Options) => {
    const address = readListenAddress(options.listen, options.allowRemote === true);
    here().exitCode = await runProxy({
      port: options.port,
      address,
      hosts: [address, ...options.acceptHost],
      chunkSize: options.chunkSize * mebibyte,
      spoolSize: options.spoolSize * 1024 * mebibyte,
      isQuiet: options.quiet === true,
      command,
    });
  });
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError("It must be a port from 0 to 65535.");
}

function parseSpoolSize(text: string): number {
  const size = Number(text);
  if (text !== "" && size >= 0 && size <= 10_000) return size;
  throw new InvalidArgumentError("It must be a number of GiB from 0 to 10000.");
}
