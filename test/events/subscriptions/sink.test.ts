import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Config } from "../../../src/config.ts";
import { sinkRefusal } from "../../../src/events/subscriptions/sink.ts";
import { startResolver } from "../../world/resolver.ts";

let names: Awaited<ReturnType<typeof startResolver>>;
beforeAll(async () => {
  names = await startResolver();
});
afterAll(() => names.close());

const urls = {
  baseUrl: "https://api.acme.example",
  registryUrl: "https://registry.acme.example",
  issuerUrl: "https://issuer.acme.example",
};
const production = () => ({ ...urls, dnsUrl: names.url }) as Config;
const here = "http://localhost:8787";
const development = { baseUrl: here, registryUrl: here, issuerUrl: here, dnsUrl: "" } as Config;

describe("a sink on the public internet is accepted", () => {
  test.each([
    "https://hooks.example",
    "https://hooks.example/",
    "https://HOOKS.example/a/b%20c?token=x@y&z",
    "https://hooks.example:443/events",
    "https://hooks.example:8443/events",
    "https://hooks.example./events",
    "https://grüße.example/events",
    "https://93.184.215.14/events",
    "https://[2606:4700:4700::1111]/events",
    "https://93-184-215-14.a.example",
    "https://2606-4700--1.aaaa.example",
  ])("%s", async (sink) => {
    expect(await sinkRefusal(production(), sink)).toBeUndefined();
  });
});

/** One of each reason. test/attacks/ssrf/destinations.ts has the other spellings. */
describe("a sink is rejected because of", () => {
  const refused: [string, string, string, RegExp][] = [
    ["its form", "http", "http://hooks.example", /https URL/],
    ["its form", "a user", "https://me@hooks.example", /user/],
    ["its form", "a user and a password", "https://me:pw@hooks.example", /password/],
    ["its form", "a fragment", "https://hooks.example/#a", /fragment/],
    ["its port", "http", "https://hooks.example:80", /443/],
    ["its port", "another high one", "https://hooks.example:6379", /443/],
    ["its address", "loopback", "https://127.0.0.1", /address/],
    ["its address", "IPv6 loopback", "https://[::1]", /address/],
    ["its name", "localhost", "https://localhost", /public DNS/],
    ["its name", "a single label, escaped", "https://%69ntranet", /public DNS/],
    ["its name", "a cluster's service", "https://api.default.svc.cluster.local.", /public DNS/],
    ["its host", "the API", "https://api.acme.example/iam/v2/groups", /platform/],
    ["its address", "a private address", "https://10-0-0-1.a.example", /private/],
    ["its address", "loopback", "https://127-0-0-1.a.example", /private/],
    ["its address", "one of two", "https://1-1-1-1and10-0-0-1.a.example", /private/],
    ["its address", "no address", "https://empty.example", /no address/],
  ];
  test.each(refused)("%s: %s", async (_, __, sink, reason) => {
    expect(await sinkRefusal(production(), sink)).toMatch(reason);
  });
});

describe("a sink is UNAVAILABLE if the resolver does not respond", () => {
  test.each(["failing.example", "down.example", "strange.example", "moved.example"])(
    "%s is UNAVAILABLE",
    async (name) => {
      await expect(sinkRefusal(production(), `https://${name}`)).rejects.toMatchObject({
        rawMessage: expect.stringContaining(`${name} cannot be looked up now`),
      });
    },
  );

  test("and not if there is no resolver", async () => {
    const config = { ...production(), dnsUrl: "http://127.0.0.1:1/" };
    await expect(sinkRefusal(config, "https://hooks.example")).rejects.toThrow("cannot be looked");
  });
});

describe("without a resolver", () => {
  test("names are accepted unchecked, and the other rules apply", async () => {
    const config = { ...production(), dnsUrl: "" };
    expect(await sinkRefusal(config, "https://10-0-0-1.a.example")).toBeUndefined();
    expect(await sinkRefusal(config, "https://10.0.0.1")).toMatch(/address/);
    expect(await sinkRefusal(config, "https://localhost")).toMatch(/public DNS/);
  });
});

describe("a platform on this machine", () => {
  test.each([
    "http://localhost:9000/events",
    "http://127.0.0.1:9000",
    "http://[::1]:9000",
    "https://hooks.localhost",
    "https://hooks.example",
  ])("a platform on this machine accepts the sink %s", async (sink) => {
    expect(await sinkRefusal(development, sink)).toBeUndefined();
  });

  test.each([
    ["http://localhost:8787/iam/v2/groups", /platform/],
    ["http://hooks.example", /https URL/],
    ["http://10.0.0.1", /https URL/],
    ["https://10.0.0.1", /address/],
    ["http://me@localhost:9000", /user/],
    ["ftp://localhost:9000", /https URL/],
    ["http://localhost.hooks.example:9000", /https URL/],
  ])("a platform on this machine rejects the sink %s", async (sink, reason) => {
    expect(await sinkRefusal(development, sink)).toMatch(reason);
  });

  test.each(["http://localhost:9000", "https://localhost:9000", "https://127.0.0.1:9000"])(
    "only this platform accepts it: %s is rejected elsewhere",
    async (sink) => {
      expect(await sinkRefusal(production(), sink)).toBeDefined();
    },
  );
});
