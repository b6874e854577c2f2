/**
 * The OCI's own conformance suites as clients of `platformctl proxy`.
 *
 * @module-tag long
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  expectConformance,
  isMissing,
  type Registry,
  suites,
} from "../../distribution/conformance_suites.ts";
import { startOwnRegistry } from "../../distribution/own_registry.ts";
import type { Organization } from "../../world/personas.ts";
import { newFolder, newStateFolder } from "../command.ts";
import { startProxy } from "../images/proxy.ts";
import { startRunning } from "./running.ts";

describe.skipIf(suites.every(isMissing))("through the proxy, the registry still passes", () => {
  let registry: Awaited<ReturnType<typeof startOwnRegistry>>;
  let front: Awaited<ReturnType<typeof startProxy>>;
  let running: Awaited<ReturnType<typeof startRunning>>;
  let through: Registry;
  beforeAll(async () => {
    registry = await startOwnRegistry({ bindings: { SPARSE_IMAGES: "true" } });
    front = await startProxy(registry.origin);
    const { uid, name } = { uid: registry.organization, name: "own" };
    const organization = { uid, name, owner: { uid: registry.owner, token: "" } } as Organization;
    running = await startRunning(["--quiet"], {
      PLATFORM_STATE: await newStateFolder(organization, { registryUrl: front.url }),
      XDG_STATE_HOME: await newFolder(),
    });
    through = { host: new URL(running.url).host, organization: uid, token: "not used" };
  });
  afterAll(async () => {
    expect((await running.stop()).code).toBe(0);
    front.stop();
    await registry.stop();
  });

  for (const suite of suites) {
    test
      .skipIf(isMissing(suite))
      .concurrent(`the OCI conformance suite ${suite.name}`, { timeout: 300_000 }, () =>
        expectConformance(suite, through),
      );
  }
});
