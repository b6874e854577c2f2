import { beforeAll, expect, test } from "vitest";
import { routes } from "../../../console/frame/routes.ts";
import { sql } from "../../world/platform.ts";
import { long, tiers } from "../../world/tiers.ts";
import { describeInChromium } from "../chromium.ts";
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
  let world: HostileOrganization;
  let parts: Record<"access" | "registry" | "events", Visit[]>;
  beforeAll(async () => {
    world = await newHostileOrganization();
    const registry = await newHostileRegistry(world);
    await insertDeliveries(world);
    parts = {
      access: accessVisits(world),
      registry: registryVisits(world, registry),
      events: eventVisits(world, await eventsOf(world.organization.uid)),
    };
  });

  /**
   * One address of each part of the console, such as `/roles`. The quick tier opens each of them in one of the looks:
   * the seed decides which.
   */
  function sample(): [Visit[], Visit[]] {
    const pick = (visits: Visit[], classOf: (visit: Visit) => string): Visit[] =>
      tiers(visits, classOf)[0]?.[0] ?? [];
    const all = pick(
      Object.values(parts).flat(),
      ({ address }) => /^\/[\w-]*/.exec(address)?.[0] ?? "",
    );
    const alone = all.map((visit) => ({ ...visit, isAlone: true }));
    const places = new Map<Visit, number>(alone.map((visit, at) => [visit, at]));
    const wide = pick(alone, (visit) => `${(places.get(visit) ?? 0) >> 1}`);
    return [wide, alone.filter((visit) => !wide.includes(visit))];
  }

  /** Walks in the dark on a wide screen and in the light on a phone, at the same time. */
  async function problemsOf(wide: readonly Visit[], narrow = wide): Promise<string[][]> {
    const as = { as: world.organization.owner.uid, claims };
    return Promise.all([
      walk({ ...as, theme: "dark", width: 1280 }, wide),
      walk({ ...as, theme: "light", width: 390 }, narrow),
    ]);
  }

  test("is in the list of addresses that these tests open", () => {
    const visited = Object.values(parts)
      .flat()
      .map(({ address }) => routeOf(address));
    expect(routes.map(({ path }) => path).filter((path) => !visited.includes(path))).toEqual([]);
  });

  test("shows texts of others only as text, fits, and is accessible: one page of each part", async () => {
    expect(await problemsOf(...sample())).toEqual([[], []]);
  });

  test.each(["access", "registry", "events"] as const)(
    "shows texts of others only as text, fits, and is accessible: %s",
    long,
    async (part) => {
      expect(await problemsOf(parts[part])).toEqual([[], []]);
    },
  );

  test("stays itself at an address with parameters that make no sense: one page", async () => {
    const [[visit]] = sample();
    const odd = oddVisits(visit ? [visit] : [], world.organization.uid);
    expect(await problemsOf(odd.slice(0, 1), odd.slice(-1))).toEqual([[], []]);
  });

  test("stays itself at an address with any parameters", long, async () => {
    const odd = oddVisits(Object.values(parts).flat(), world.organization.uid);
    const half = (rest: number) => odd.filter((_, at) => at % 2 === rest);
    expect(await problemsOf(half(0), half(1))).toEqual([[], []]);
  });
});
