/** `platformctl proxy` in the process of a test. */
import { request } from "node:http";
import type { Readable } from "node:stream";
import { vi } from "vitest";
import { run } from "../../../cli/commands/run.ts";
import { newSurroundings } from "../command.ts";

/** Starts the proxy on a free port. `stop` presses Ctrl-C and returns how it ended. */
export async function startRunning(args: string[], env: NodeJS.ProcessEnv) {
  const surroundings = await newSurroundings({ env });
  const { stdin, stdout, stderr } = surroundings;
  const ended = run(["proxy", "--port", "0", ...args], surroundings).finally(() => stdin.destroy());
  const address = () => /^Registry on (http:\S+), upstream /.exec(stdout.text())?.[1];
  await vi.waitFor(
    () => {
      if (address() === undefined) throw new Error(`the proxy does not listen: ${stderr.text()}`);
    },
    { timeout: 10_000 },
  );
  return {
    url: address() ?? "",
    err: () => stderr.text(),
    interrupt: () => void surroundings.emit("SIGINT"),
    async stop() {
      surroundings.emit("SIGINT");
      await ended;
      return { code: surroundings.exitCode, err: stderr.text() };
    },
    ended,
  };
}

/** A response to `ask`. */
export interface Answered {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** Sends a request with any header, which fetch does not allow. `target` is sent as it is. */
export function ask(
  url: string,
  target: string,
  { method = "GET", headers = {}, body }: Asked = {},
): Promise<Answered> {
  const { hostname, port } = new URL(url);
  return new Promise((done, fail) => {
    const asked = request({ hostname, port, path: target, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", fail);
      response.on("end", () =>
        done({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    asked.on("error", fail);
    if (body) body.on("error", () => asked.destroy()).pipe(asked);
    else asked.end();
  });
}

interface Asked {
  method?: string;
  headers?: Record<string, string>;
  body?: Readable;
}
