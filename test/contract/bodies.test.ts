/** If the body is the whole request, the query sets no field (google.api.HttpRule). */
import { type DescMessage, toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { services as advisory } from "../../src/advisory/worker.ts";
import { services as events } from "../../src/events/worker.ts";
import { services as iam } from "../../src/iam/worker.ts";
import { services as issuer } from "../../src/issuer/worker.ts";
import { services as libraries } from "../../src/libraries/worker.ts";
import { services as ping } from "../../src/ping/worker.ts";
import { services as registry } from "../../src/registry/worker.ts";
import { readRequest } from "../../src/rpc/request.ts";
import { type Route, sortedRoutes } from "../../src/rpc/routes.ts";
import { services as vulnerabilities } from "../../src/vulnerabilities/worker.ts";
import { createResource, newOrganization, randomName } from "../world/personas.ts";
import { callRest } from "../world/platform.ts";
import { tiers } from "../world/tiers.ts";

const routes = sortedRoutes([
  ...[...advisory, ...events, ...iam, ...issuer],
  ...[...libraries, ...ping, ...registry, ...vulnerabilities],
]).filter(({ body }) => body === "*");

const deepest = 3;

/** Every key that can name a field of the message in a query, in both spellings. */
const keysOf = ({ fields }: DescMessage, depth = 0): string[] =>
  fields.flatMap(({ name, jsonName, fieldKind, message }) => {
    const isNested = fieldKind === "message" && message && depth < deepest;
    const inner = isNested ? keysOf(message, depth + 1) : [];
    return [...new Set([name, jsonName])].flatMap((one) => [
      one,
      ...inner.map((rest) => `${one}.${rest}`),
    ]);
  });

const uid = `${"0".repeat(40)}/${"1".repeat(16)}`;

/** The request that results from this query and an empty body, as JSON. */
async function read(route: Route, query: string) {
  const path = route.template.replace(/\{[^}]+\}/g, uid.slice(0, 40));
  const request = new Request(`https://platform.example${path}?${query}`, {
    method: route.verb,
    body: "{}",
  });
  const { groups = {} } = route.path.exec(path) ?? {};
  return toJson(route.rpc.method.input, await readRequest(route, request, groups, "vendor"));
}

describe("if the body is the whole request, keys of the query are ignored in version 1 and refused in version 2:", () => {
  const isV2 = ({ template }: Route) => template.includes("/v2/");

  test("both versions have such routes", () => {
    expect(routes.filter(isV2).length).toBeGreaterThan(5);
    expect(routes.filter((route) => !isV2(route)).length).toBeGreaterThan(20);
  });

  const named = routes.map((route) => [`${route.verb} ${route.template}`, route] as const);
  for (const [some, tier] of tiers(named, ([, route]) => `${route.verb} ${isV2(route)}`))
    test.for(some)("%s", tier, async ([_, route]) => {
      const plain = await read(route, "");
      const keys = keysOf(route.rpc.method.input);
      expect(keys.length).toBeGreaterThan(0);
      for (const value of ["fromquery", "1", "true", ""]) {
        const query = new URLSearchParams(keys.map((key) => [key, value])).toString();
        if (isV2(route)) await expect(read(route, query)).rejects.toThrow("part of the body");
        else expect(await read(route, query), value).toEqual(plain);
      }
    });
});

describe("over the wire", () => {
  test("a PUT of version 1 replaces the resource with its body alone", async () => {
    const { uid: parent, owner } = await newOrganization();
    const { token } = owner;
    const { id } = await createResource(`/iam/v1/groups/${parent}`, token, { name: "g" });
    const answer = await callRest(`/iam/v1/groups/${id}?description=fromquery&name=other`, {
      ...{ method: "PUT", token },
      body: { name: "g1" },
    });
    expect([answer.status, answer.body.name, answer.body.description]).toEqual([
      ...[200, "g1", undefined],
    ]);
  });

  test("an import of version 2 does not run if only the query contains it", async () => {
    const { uid: parent, owner } = await newOrganization();
    const { token } = owner;
    const record = { id: randomName("OSV"), modified: "2026-01-01T00:00:00Z" };
    const query = new URLSearchParams({ records: JSON.stringify(record) });
    const path = `/vulnerabilities/v2/osvRecords/${parent}:import?${query}`;
    const { status, body } = await callRest(path, { token, body: {} });
    const { field, description } = body.details[1].fieldViolations[0];
    expect([status, field]).toEqual([400, "records"]);
    expect(description).toBe("records is part of the body; remove it from the query");
  });
});
