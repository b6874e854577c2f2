/**
 * Ports for issuers. No two issuers can share one, because the platform caches the keys of an address for ten
 * minutes.
 */
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { inject } from "vitest";

/** Listens on a port of this machine that no other issuer of the run has used. */
export async function listenOnNewPort(server: Server): Promise<number> {
  for (;;) {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    if (await isNew(port)) return port;
    server.close();
    await once(server, "close");
  }
}

/** Whether no test has used the port. Each port has a file, because tests run in several processes. */
const isNew = (port: number) =>
  writeFile(join(inject("issuerPorts"), String(port)), "", { flag: "wx" }).then(
    () => true,
    () => false,
  );
