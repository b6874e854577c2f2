/** Errors of the client, for each kind of error that the platform returns. */
import {
  AlreadyExists,
  createClient,
  FailedPrecondition,
  InvalidArgument,
  NotFound,
  PermissionDenied,
  PlatformError,
  staticToken,
  Unauthenticated,
  Unavailable,
  Unreachable,
} from "platform-api/client";
import { beforeAll, expect, test } from "vitest";
import { newIdentity, newOrganization, type Organization } from "../world/personas.ts";
import { baseUrl } from "../world/platform.ts";
import { clientOf } from "./calls.ts";

let org: Organization;
let client: ReturnType<typeof clientOf>;
beforeAll(async () => {
  org = await newOrganization();
  client = clientOf(org.owner.token);
});

/** The error of a call. */
async function refusal<E extends PlatformError>(
  call: Promise<unknown>,
  kind: abstract new (...parameters: never[]) => E,
): Promise<E> {
  const error = await call.then(
    () => new Error("it was not refused"),
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(kind);
  expect(error).toBeInstanceOf(PlatformError);
  expect(error.message).not.toBe("");
  expect(error.name).toBe(kind.name);
  return error;
}

test("InvalidArgument names the fields", async () => {
  const error = await refusal(client.identities.create(org.uid, { name: "No!" }), InvalidArgument);
  expect(error).toMatchObject({
    code: "INVALID_ARGUMENT",
    status: 400,
    reason: "INVALID_ARGUMENT",
  });
  expect(error.fieldViolations).toEqual([
    { field: "name", description: expect.stringContaining("^[a-z0-9 ._-]{1,}$") },
  ]);
  expect(error.domain).toMatch(/^iam\./);
  expect(error.detail("google.rpc.BadRequest")).toBeDefined();
  expect(error.detail("google.rpc.Help")).toBeUndefined();
});

test("InvalidArgument is the same over Connect", async () => {
  const reports = client.securityAdvisory.listResolvedVulnsReports({
    imageRefs: [{ repo: "" }],
    startTime: "2026-01-01T00:00:00Z",
    endTime: "2026-01-02T00:00:00Z",
  });
  const error = await refusal(reports.page(), InvalidArgument);
  expect(error.fieldViolations.map(({ field }) => field)).toEqual(["image_refs[0].repo"]);
  expect(error).toMatchObject({ status: 400, reason: "INVALID_ARGUMENT" });
});

test("NotFound names the resource", async () => {
  const uid = `${org.uid}/0123456789abcdef`;
  const error = await refusal(client.repos.get(uid), NotFound);
  expect(error).toMatchObject({ code: "NOT_FOUND", status: 404, resourceName: uid });
  expect(error.resourceType).toMatch(/^registry\..*\/Repo$/);
});

test("AlreadyExists names the resource", async () => {
  await client.repos.create(org.uid, { name: "twice" });
  const error = await refusal(client.repos.create(org.uid, { name: "twice" }), AlreadyExists);
  expect(error).toMatchObject({ code: "ALREADY_EXISTS", status: 409, resourceName: "twice" });
});

test("PermissionDenied names the required capability", async () => {
  const viewer = await newIdentity(org, "viewer");
  const call = clientOf(viewer.token).repos.create(org.uid, { name: "mine" });
  const error = await refusal(call, PermissionDenied);
  expect(error).toMatchObject({ code: "PERMISSION_DENIED", status: 403 });
  expect(error.message).toContain("repo.create");
});

test("Unauthenticated explains the fault of the token", async () => {
  const error = await refusal(clientOf("no.token").repos.list().page(), Unauthenticated);
  expect(error).toMatchObject({ code: "UNAUTHENTICATED", status: 401 });
});

test("FailedPrecondition lists its violations", async () => {
  await client.groups.create(org.uid, { name: "child" });
  const error = await refusal(client.groups.delete(org.uid), FailedPrecondition);
  expect(error).toMatchObject({ code: "FAILED_PRECONDITION", status: 400, missingTerms: [] });
  expect(error.violations).toContainEqual({
    type: "RESOURCE_NOT_EMPTY",
    subject: expect.any(String),
    description: expect.stringContaining("child"),
  });
});

test("an update that returns Unavailable fails and is sent once, and a create three times", async () => {
  let sent = 0;
  const counting = createClient({
    url: baseUrl(),
    token: staticToken(org.owner.token),
    fetch: (input, init) => {
      sent += 1;
      return fetch(input, init);
    },
  });
  const sink = "https://failing.example/hook";
  const { uid } = await client.subscriptions.create(org.uid, { sink: "https://hooks.example/up" });
  const error = await refusal(counting.subscriptions.update(uid, { sink }), Unavailable);
  expect(error).toMatchObject({ code: "UNAVAILABLE", status: 503 });
  expect(sent).toBe(1);
  await refusal(counting.subscriptions.create(org.uid, { sink }), Unavailable);
  expect(sent).toBe(1 + 3);
});

test("the path of the URL is kept, and an unknown path is an error", async () => {
  const astray = createClient({ url: `${baseUrl()}/elsewhere/`, token: staticToken("x") });
  const error = await refusal(astray.repos.list().page(), NotFound);
  expect(error).toMatchObject({ reason: "ROUTE_NOT_FOUND" });
  expect(error.message).toContain("/elsewhere/registry/v2/repos");
});

test("a call to an address without a server is Unreachable", async () => {
  const nobody = createClient({ url: "http://127.0.0.1:9", retries: 0 });
  const error = await refusal(nobody.ping.ping(), Unreachable);
  expect(error).toMatchObject({ code: "UNREACHABLE", status: 0 });
  expect(error.message).toContain("http://127.0.0.1:9");
  expect(error.cause).toBeInstanceOf(Error);
});

test.each([
  "localhost:8787",
  "ftp://example.com",
  "https://user:secret@example.com",
  "https://example.com/?a=b",
  "",
])("%j is not the address of a platform", (url) => {
  expect(() => createClient({ url })).toThrow(TypeError);
});

test("an error has the id of its request, of the API and of the registry host", async () => {
  const headers: string[] = [];
  const watched = createClient({
    url: baseUrl(),
    token: staticToken(org.owner.token),
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      headers.push(response.headers.get("x-request-id") ?? "");
      return response;
    },
  });
  const gone = `${org.uid}/0123456789abcdef`;
  const ofApi = await refusal(watched.repos.get(gone), NotFound);
  expect(ofApi.requestId).toBe(headers.at(-1));
  expect(ofApi.detail("google.rpc.RequestInfo")?.requestId).toBe(ofApi.requestId);
  const history = watched.history(`${org.uid}/nothing:latest`);
  const ofRegistry = await refusal(history[Symbol.asyncIterator]().next(), Unauthenticated);
  expect(ofRegistry.requestId).toBe(headers.at(-1));
  expect(headers.at(-1)).not.toBe("");
});
