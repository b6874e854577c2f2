/** Every page of the console, in an organization whose texts are all hostile. */
import { globSync, readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { textFilters } from "../../../console/events/filters.ts";
import { routes } from "../../../console/frame/routes.ts";
import { sql } from "../../world/platform.ts";
import { describeInChromium, launch } from "../chromium.ts";
import { hostileText, hostileTexts } from "../hostile_texts.ts";
import {
  claims,
  type HostileOrganization,
  insertDeliveries,
  newHostileOrganization,
} from "./hostile_organization.ts";
import { newHostileRegistry } from "./hostile_registry.ts";
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
  async function problemsOf(visits: readonly Visit[]): Promise<string[][]> {
    const as = { as: world.organization.owner.uid, claims };
    return Promise.all([
      walk(browser, { ...as, theme: "dark", width: 1280 }, visits),
      walk(browser, { ...as, theme: "light", width: 390 }, visits),
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

  test("keeps its form with any address", { timeout: 300_000 }, async () => {
    const names = globSync("console/**/*.{ts,tsx}").flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/\bget\("(\w+)"\)/g)].map(([, name = ""]) => name),
    );
    const values = [hostileTexts[0], "\0", hostileText(2_000), "-1", "__proto__", "%", "☃"];
    const junk = (given: URLSearchParams) =>
      [...new Set([...names, ...Object.keys(textFilters)])]
        .filter((name) => !given.has(name) && !["view", "group", "invite_code"].includes(name))
        .map((name, at) => [name, values[at % values.length] ?? ""]);
    const addresses = Object.values(parts)
      .flat()
      .map(({ address }) => address);
    const withJunk = addresses.map((address) => {
      const [path = "", query = ""] = address.split("?");
      const given = new URLSearchParams(query);
      for (const [name = "", value = ""] of junk(given)) given.set(name, value);
      return `${path}?${given}`;
    });
    const { uid } = world.organization;
    const unknown = `${uid}/0123456789abcdef/0123456789abcdef`;
    const rests = [unknown, "%00", "%E0%A4%A", "%", ...values.map(encodeURIComponent)];
    const wrong = routes.flatMap(({ path }) =>
      path.endsWith("/*")
        ? rests.map((rest) => `${path.slice(0, -1)}${rest}?group=${uid}`)
        : [unknown, "\0", hostileText(2_000)].map(
            (group) => `${path}?group=${encodeURIComponent(group)}`,
          ),
    );
    const visits = [...withJunk, ...wrong].map((address) => ({ address }));
    expect(await problemsOf(visits)).toEqual([[], []]);
  });
});
