import { describe, expect, test } from "vitest";
import { callRest } from "../../world/platform.ts";
import { newTenant } from "../callers.ts";
import { loadOpenVex, openVexOf, statementOf } from "./vex_imports.ts";

describe("the location of the component", () => {
  const cpe23 = "cpe:2.3:a:acme:box:1.0:*:*:*:*:*:*:*";
  const hash = "ab".repeat(32);
  test.each([
    ["a package URL", { "@id": "pkg:pypi/box@1.0" }, "pkg:pypi/box@1.0"],
    ["a CPE name", { "@id": "https://acme.example/box", identifiers: { cpe23 } }, cpe23],
    ["a URI", { "@id": "https://acme.example/box" }, "https://acme.example/box"],
    ["a hash", { hashes: { "sha-256": hash } }, `sha-256:${hash}`],
    ["the longest URI", { "@id": `https://${"x".repeat(1016)}` }, `https://${"x".repeat(1016)}`],
  ])("is %s, and both versions find it by this", async (_, product, location) => {
    const { group, token } = await newTenant();
    await loadOpenVex(token, group, openVexOf([statementOf({ products: [product] })]));
    const query = encodeURIComponent(location);
    const at = (path: string) => callRest(`/vulnerabilities/${path}=${query}`, { token });
    const { body: v2 } = await at("v2/advisories?component_locations");
    expect(v2.advisories).toMatchObject([{ componentLocation: location }]);
    const { body: v1 } = await at("v1/advisories?componentLocation");
    expect(v1.items).toMatchObject([{ componentLocation: location }]);
  });
});
