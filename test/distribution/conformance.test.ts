/**
 * The OCI's own conformance suites. Both use one registry at the same time.
 *
 * @module-tag long
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, test } from "vitest";
import { expectConformance, isMissing, type Registry, suites } from "./conformance_suites.ts";
import { startOwnRegistry } from "./own_registry.ts";

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

describe.skipIf(suites.every(isMissing))("the registry passes all that applies to it", () => {
  let registry: Registry & { stop: () => Promise<void> };
  beforeAll(async () => {
    const port = await freePort();
    const host = `127.0.0.1:${port}`;
    const bindings = { REGISTRY_URL: `http://${host}`, SPARSE_IMAGES: "true" };
    const { organization, newTarget, stop } = await startOwnRegistry({ port, bindings });
    registry = { host, organization, token: (await newTarget()).token, stop };
  });
  afterAll(() => registry.stop());

  for (const suite of suites) {
    test
      .skipIf(isMissing(suite))
      .concurrent(
        `in the OCI conformance suite ${suite.name}, required and optional`,
        { timeout: 300_000 },
        () => expectConformance(suite, registry),
      );
  }
});
