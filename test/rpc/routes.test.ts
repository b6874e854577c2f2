import { beforeAll, describe, expect, test } from "vitest";
import { services as advisory } from "../../src/advisory/worker.ts";
import { services as events } from "../../src/events/worker.ts";
import { services as iam } from "../../src/iam/worker.ts";
import { services as issuer } from "../../src/issuer/worker.ts";
import { services as libraries } from "../../src/libraries/worker.ts";
import { services as ping } from "../../src/ping/worker.ts";
import { services as registry } from "../../src/registry/worker.ts";
import { groupByPrefix, routesByPath, sortedRoutes } from "../../src/rpc/routes.ts";
import { services as vulnerabilities } from "../../src/vulnerabilities/worker.ts";
import {
  createResource,
  newOrganization,
  type Organization,
  randomUid,
} from "../world/personas.ts";
import { callRest } from "../world/platform.ts";

const all = [
  ...[...advisory, ...events, ...iam, ...issuer],
  ...[...libraries, ...ping, ...registry, ...vulnerabilities],
];
const routes = sortedRoutes(all);
const uid = `${"0".repeat(40)}/${"1".repeat(16)}/${"2".repeat(16)}`;

const known = groupByPrefix(routes);
const find = (verb: string, path: string) =>
  routesByPath(known, path)?.find((route) => route.verb === verb && route.path.test(path));

describe("every route", () => {
  test.each(routes.map((route) => [`${route.verb} ${route.template}`, route] as const))(
    "%s is the first match for its own path",
    (_, route) => {
      const path = route.template.replace(/\{[^=}]+=\*\*\}/g, uid).replace(/\{[^}]+\}/g, "one");
      expect(find(route.verb, path)).toBe(route);
      expect(find(route.verb, `${path}/`)).toBe(route);
    },
  );

  test("every route exists once", () => {
    const templates = routes.map((route) => `${route.verb} ${route.template}`);
    expect(new Set(templates).size).toBe(templates.length);
    expect(templates.length).toBeGreaterThan(70);
  });
});

test("a route whose first segments are not fixed is rejected, because no path would match it", () => {
  const [route] = routes;
  if (!route) throw new Error("no routes");
  expect(() => groupByPrefix([{ ...route, template: "/iam/v2/{uid=**}" }])).toThrow(/variable/);
});

test("a fixed path comes before one whose variable can be missing", () => {
  const name = (path: string) => find("POST", path)?.rpc.method.parent.typeName;
  expect(name("/iam/v1/identities")).toBe("platform.events.Identities");
  expect(name(`/iam/v1/identities/${uid}`)).toBe("platform.iam.Identities");
});

describe("a uid in a path", () => {
  test("is the whole rest, at any depth, and without a slash at the end", () => {
    const value = (path: string) => find("GET", path)?.path.exec(path)?.groups?.v0;
    expect(value(`/iam/v2/groups/${uid}`)).toBe(uid);
    expect(value(`/iam/v2/groups/${uid}/`)).toBe(uid);
    expect(value(`/registry/v2/repos/${uid}/readme`)).toBe(uid);
    expect(value(`/registry/v2/repos/${uid}/readme/`)).toBe(uid);
    expect(value(`/registry/v2/repos/${uid}/digests/sha256:ab/size`)).toBe(uid);
  });
});

describe("over the wire", () => {
  let organization: Organization;
  let token: string;
  beforeAll(async () => {
    organization = await newOrganization();
    ({ token } = organization.owner);
  });

  test("the path of a collection is its list, with and without a slash", async () => {
    for (const path of ["/iam/v2/groups", "/iam/v2/identities", "/registry/v2/repos"]) {
      for (const at of [path, `${path}/`]) {
        const { status, body } = await callRest(at, { token });
        expect([at, status]).toEqual([at, 200]);
        expect(body).toHaveProperty("totalCount");
      }
    }
  });

  test("the readme, a custom method and a resource under one path are different routes", async () => {
    const repo = await createResource(`/registry/v2/repos/${organization.uid}`, token, {
      name: "readme",
    });
    const plain = await callRest(`/registry/v2/repos/${repo.uid}`, { token });
    const readme = await callRest(`/registry/v2/repos/${repo.uid}/readme`, { token });
    expect([plain.body.name, readme.body.name]).toEqual(["readme", undefined]);
    const verb = await callRest(`/iam/v2/groups/${organization.uid}:requestGroupAccess`, {
      token,
      body: {},
    });
    // Of that verb, and not a group of that uid: the answer is about the caller's address.
    expect(verb.body).toMatchObject({ code: 5, message: `Not found: Group ${organization.uid}` });
    const slash = await callRest(`/registry/v2/repos/${repo.uid}/`, { token });
    expect(slash.body).toEqual(plain.body);
  });

  test("slashes of a uid can be percent-encoded, all or some", async () => {
    const repo = await createResource(`/registry/v2/repos/${organization.uid}`, token, {
      name: "r",
    });
    const tag = await createResource(`/registry/v2/tags/${encodeURIComponent(repo.uid)}`, token, {
      name: "latest",
      digest: `sha256:${"1".repeat(64)}`,
    });
    expect(tag.uid.startsWith(`${repo.uid}/`)).toBe(true);
    for (const encoded of [
      encodeURIComponent(tag.uid),
      tag.uid.replace("/", "%2f"),
      tag.uid.replaceAll("/", "%2F"),
    ]) {
      expect((await callRest(`/registry/v2/tags/${encoded}`, { token })).body).toEqual(tag);
    }
    const readme = await callRest(`/registry/v2/repos/${encodeURIComponent(repo.uid)}/readme`, {
      token,
    });
    expect(readme.body.uid).toBe(repo.uid);
    const swallowed = await callRest(`/registry/v2/repos/${repo.uid}%2Freadme`, { token });
    expect(swallowed.status).toBe(400);
  });

  test("a wrong verb is 501 with the verbs that the path supports", async () => {
    const allow = async (method: string, path: string) => {
      const { status, body, headers } = await callRest(path, { method, token });
      expect([method, path, status, body.code]).toEqual([method, path, 501, 12]);
      return headers.get("allow")?.split(", ").sort();
    };
    expect(await allow("PUT", `/iam/v2/groups/${randomUid()}`)).toEqual([
      "DELETE",
      "GET",
      "PATCH",
      "POST",
    ]);
    expect(await allow("DELETE", "/ping/v2/ping")).toEqual(["GET"]);
    expect(await allow("GET", "/iam/v2/roleBindings:batchCreate")).toEqual(["POST"]);
    expect(await allow("OPTIONS", "/ping/v2/ping")).toEqual(["GET"]);
  });

  test.each([
    "//",
    "//iam/v2/groups",
    "/iam//v2/groups",
    "/IAM/v2/groups",
    "/iam/v2/Groups",
    "/iam/v3/groups",
    "/iam/v2/groupsx",
    "/iam/v2/groups:nope",
    "/iamx/v2/groups",
    "/constructor",
    "/__proto__",
    "/registry/v2/repos.json",
    "/ping/v2/ping/more",
  ])("%s is not a path of the platform: 404", async (path) => {
    const { status, body } = await callRest(path, { token });
    expect([status, body.code]).toEqual([404, 5]);
    expect(body.details[0]["@type"]).toBe("type.googleapis.com/google.rpc.ErrorInfo");
  });
});
