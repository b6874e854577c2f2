/** A separate platform for a journey, which knows its own address, as in production. */
import { once } from "node:events";
import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { startOwnPlatform as start } from "../world/own_platform.ts";

/** Starts the whole platform behind a server whose port is known in advance. */
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
  const { db, origin, stop } = await start({
    bindings: {
      ...{ BASE_URL: url, REGISTRY_URL: url, ISSUER_URL: url, AUDIENCE: url },
      REGISTRY_AUDIENCE: new URL(url).host,
    },
  });
  target = new URL(origin);
  const sql = async (query: string, ...values: unknown[]) =>
    (
      await db
        .prepare(query)
        .bind(...values)
        .all()
    ).results;
  const close = async () => {
    door.close();
    door.closeAllConnections();
    await stop();
  };
  return { url, sql, close };
}

export type OwnPlatform = Awaited<ReturnType<typeof startOwnPlatform>>;
