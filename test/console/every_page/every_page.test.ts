/** Every page of the console, in an organization whose texts are all hostile. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { routes } from "../../../console/frame/routes.ts";
import { sql } from "../../world/platform.ts";
import { describeInChromium, launch } from "../chromium.ts";
import {
  claims,
  type HostileOrganization,
  insertDeliveries,
  newHostileOrganization,
} from "./hostile_organization.ts";
import { newHostileRegistry } from "./hostile_registry.ts";
import { oddVisits } from "./odd_addresses.ts";
import { accessVisits, eventVisits, registryVisits, routeOf, type Visit } from "./visits.ts";
import { walk } from "./walk.ts";

/** Events of different kinds. Their bodies and actors contain texts of others. */
const eventTypes = ["iam.group.created", "iam.identity.created", "registry.pull", "tag.created"];

async function eventsOf(organization: string): Promise<string[]> {
  const found = eventTypes.map((type) =>
    sql<{ uid: string }>(
      "select uid from events where uid like ? and type like ? order by seq desc limit 1",
      ...[`${organization}/%`, `%${type}%`],
    ),
  );
  return (await Promise.all(found)).flatMap((rows) => rows.map(({ uid }) => uid));
}

describeInChromium("every page of the console", () => {
  let browser: Browser;
  let world: HostileOrganization;
  let parts: Record<"access" | "registry" | "events", Visit[]>;
  beforeAll(async () => {
    browser = await launch();
    world = await newHostileOrganization();
    const registry = await newHostileRegistry(world);
    await insertDeliveries(world);
    parts = {
      access: accessVisits(world),
      registry: registryVisits(world, registry),
      events: eventVisits(world, await eventsOf(world.organization.uid)),
    };
  }, 120_000);
  afterAll(() => browser?.close());

  /** Walks in the dark on a wide screen and in the light on a phone, at the same time. */
  async function problemsOf(wide: readonly Visit[], narrow = wide): Promise<string[][]> {
    const as = { as: world.organization.owner.uid, claims };
    return Promise.all([
      walk(browser, { ...as, theme: "dark", width: 1280 }, wide),
      walk(browser, { ...as, theme: "light", width: 390 }, narrow),
    ]);
  }

  test("is in the list of addresses that these tests open", () => {
    const visited = Object.values(parts)
      .flat()
      .map(({ address }) => routeOf(address));
    expect(routes.map(({ path }) => path).filter((path) => !visited.includes(path))).toEqual([]);
  });

  test.each(["access", "registry", "events"] as const)(
    "shows texts of others only as text, fits, and is accessible: %s",
    { timeout: 300_000 },
    async (part) => {
      expect(await problemsOf(parts[part])).toEqual([[], []]);
    },
  );

  test("stays itself at an address with any parameters", { timeout: 300_000 }, async () => {
    const odd = oddVisits(Object.values(parts).flat(), world.organization.uid);
    const half = (rest: number) => odd.filter((_, at) => at % 2 === rest);
    expect(await problemsOf(half(0), half(1))).toEqual([[], []]);
  });
});
