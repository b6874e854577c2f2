/** A platform of a journey's own, at an address that it knows of itself, as in production. */
import { once } from "node:events";
import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { createTestHarness } from "wrangler";
import { makeKeys } from "../world/keys.ts";

/** The part of D1 that a journey uses. */
interface Database {
  prepare(query: string): {
    bind(...values: unknown[]): { all(): Promise<{ results: Record<string, unknown>[] }> };
  };
}

/** Starts the whole platform behind a door whose port is known before. */
export async function startOwnPlatform() {
  let target = new URL("http://127.0.0.1:1");
  const door = createServer((request, response) => {
    const { method, headers, url: path } = request;
    const { hostname, port } = target;
    const onward = send({ hostname, port, method, headers, path }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  door.listen(0, "127.0.0.1");
  await once(door, "listening");
  const url = `http://localhost:${(door.address() as AddressInfo).port}`;
  const keys = await makeKeys();
  const harness = createTestHarness({
    root: new URL("../..", import.meta.url).pathname,
    workers: [
      {
        configPath: "wrangler.toml",
        vars: {
          ...{ BASE_URL: url, REGISTRY_URL: url, ISSUER_URL: url, AUDIENCE: url },
          REGISTRY_AUDIENCE: new URL(url).host,
        },
        secrets: {
          SIGNING_KEYS: keys.signingKeys,
          PAGE_TOKEN_KEYS: keys.pageTokenKeys,
          ENCRYPTION_KEYS: keys.encryptionKeys,
        },
      },
    ],
  });
  target = (await harness.listen()).url;
  const worker = harness.getWorker();
  await worker.applyD1Migrations("DB");
  const database = (await worker.getEnv()).DB as Database;
  const sql = async (query: string, ...values: unknown[]) =>
    (
      await database
        .prepare(query)
        .bind(...values)
        .all()
    ).results;
  const close = async () => {
    door.close();
    door.closeAllConnections();
    await harness.close();
  };
  return { url, sql, close };
}

export type OwnPlatform = Awaited<ReturnType<typeof startOwnPlatform>>;
