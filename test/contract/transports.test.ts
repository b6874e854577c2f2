/** Every transport returns the same: message, code, text, details and headers. */
import { Buffer } from "node:buffer";
import { once } from "node:events";
import type { Http2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import { create, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { base64url, decodeJwt, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { grpcBridge } from "../../cli/grpc/bridge.ts";
import { GetRepoRequestSchema } from "../../schema/gen/platform/registry/v2/repos_pb.js";
import { decisionIdOf } from "../iam/access/calls.ts";
import { createResource, newUser, randomName } from "../world/personas.ts";
import { baseUrl, callRest, sql, tokenFor, vendor } from "../world/platform.ts";
import { type CallOutcome, type CallRpc, Code, callers, detail, overGrpc } from "./callers.ts";
import { withoutDecisionId } from "./decisions.ts";
import { type Fixtures, newFixtures, step } from "./fixtures.ts";
import { rpcOf } from "./rpcs.ts";

let bridge: Http2Server;
let grpc: ReturnType<typeof overGrpc>;
let fixtures: Fixtures;

beforeAll(async () => {
  bridge = grpcBridge(new URL(baseUrl())).listen(0, "127.0.0.1");
  await once(bridge, "listening");
  grpc = overGrpc(`127.0.0.1:${(bridge.address() as AddressInfo).port}`);
  fixtures = await newFixtures();
});
afterAll(() => {
  grpc.close();
  bridge.close();
});

const all = (): [string, CallRpc][] => [...Object.entries(callers), ["gRPC", grpc]];

/** A case: the name of the RPC, the request and the token. */
type Asked = [string, JsonObject, string?];
const unknown = () => `${fixtures.organization.uid}/${"0".repeat(16)}`;

const successes: [string, () => Asked | Promise<Asked>][] = [
  ["Ping, without a token", () => ["PingService/Ping", {}]],
  ["a repo", () => ["ReposService/GetRepo", { uid: fixtures.repo }, fixtures.token]],
  [
    "a group with its flags",
    () => ["GroupsService/GetGroup", { uid: fixtures.organization.uid }, fixtures.token],
  ],
  [
    "a hydrated role binding",
    () => ["RoleBindingsService/GetRoleBinding", { uid: fixtures.roleBinding }, fixtures.token],
  ],
  [
    "a role with its capabilities",
    () => ["RolesService/GetRole", { uid: fixtures.role }, fixtures.token],
  ],
  [
    "an advisory with its events",
    () => ["AdvisoriesService/GetAdvisory", { uid: fixtures.advisory }, fixtures.token],
  ],
  [
    "a list with its total",
    () => [
      "TagsService/ListTags",
      {
        uidp: { childrenOf: fixtures.repo },
        includeReferrers: true,
        pageSize: 7,
        orderBy: "name desc",
      },
      fixtures.token,
    ],
  ],
  [
    "a change",
    () => [
      "ReposService/UpdateRepo",
      { repo: { uid: fixtures.repo, description: "Ünïcode, 100%" } },
      fixtures.token,
    ],
  ],
  [
    "a change by mask that clears a field",
    () => [
      "ReposService/UpdateRepo",
      { repo: { uid: fixtures.repo }, updateMask: "description" },
      fixtures.token,
    ],
  ],
  ["a delete", () => ["RoleBindingsService/DeleteRoleBinding", { uid: unknown() }, fixtures.token]],
];

/** The parts of two updates of one resource that can differ, and the parts of two refusals. */
function comparable({ message, ...rest }: CallOutcome) {
  const { updateTime: _, etag: __, ...stable } = (message ?? {}) as JsonObject;
  const { headers: ___, ...outcome } = rest;
  if (decisionIdOf(outcome) !== "") return JSON.parse(withoutDecisionId(outcome)) as typeof outcome;
  return { ...outcome, ...(message === undefined ? {} : { message: stable }) };
}

describe("every transport returns the same response", () => {
  test.each(successes)("%s", async (_, asked) => {
    const [name, request, token] = await asked();
    const expected = comparable(await callers.REST(rpcOf(name), request, token));
    expect(expected).toMatchObject({ code: 0 });
    for (const [transport, ask] of all()) {
      expect(comparable(await ask(rpcOf(name), request, token)), transport).toEqual(expected);
    }
  });

  type Refusal = [string, Code, string, () => Asked | Promise<Asked>];
  const refusals: Refusal[] = [
    [
      "a field against its rules",
      Code.InvalidArgument,
      "BadRequest",
      () => [
        "IdentitiesService/CreateIdentity",
        { parent: fixtures.organization.uid, identity: { name: 'Grüße\n100% "no"' } },
        fixtures.token,
      ],
    ],
    [
      "several fields against their rules",
      Code.InvalidArgument,
      "BadRequest",
      () => ["TagsService/CreateTag", { parent: fixtures.repo, tag: {} }, fixtures.token],
    ],
    [
      "an error of a handler",
      Code.InvalidArgument,
      "BadRequest",
      () => ["ReposService/ListRepos", { orderBy: "colour" }, fixtures.token],
    ],
    [
      "an unknown resource",
      Code.NotFound,
      "ResourceInfo",
      () => ["ReposService/GetRepo", { uid: unknown() }, fixtures.token],
    ],
    [
      "a forbidden state",
      Code.FailedPrecondition,
      "PreconditionFailure",
      () => ["GroupsService/DeleteGroup", { uid: fixtures.organization.uid }, fixtures.token],
    ],
    [
      "an existing name",
      Code.AlreadyExists,
      "ResourceInfo",
      async () => {
        const repo = { name: randomName("twin") };
        await createResource(
          `/registry/v2/repos/${fixtures.organization.uid}`,
          fixtures.token,
          repo,
        );
        return [
          "ReposService/CreateRepo",
          { parent: fixtures.organization.uid, repo },
          fixtures.token,
        ];
      },
    ],
    [
      "a missing capability",
      Code.PermissionDenied,
      "ErrorInfo",
      async () => ["ReposService/GetRepo", { uid: fixtures.repo }, (await newUser()).token],
    ],
    [
      "no token",
      Code.Unauthenticated,
      "ErrorInfo",
      () => ["ReposService/GetRepo", { uid: fixtures.repo }],
    ],
    [
      "a bad token",
      Code.Unauthenticated,
      "ErrorInfo",
      () => ["ReposService/GetRepo", { uid: fixtures.repo }, "bad"],
    ],
    [
      "a repeated request",
      Code.ResourceExhausted,
      "ErrorInfo",
      async () => {
        const { uid, name } = fixtures.organization;
        const domain = `${name}.example`;
        await sql("update groups set name = ?, verified = 1 where uid = ?", domain, uid);
        const act = { iss: "https://trusted.example", sub: "ann", aud: "x" };
        const claims = { email: `ann@${domain}`, email_verified: true, act };
        const token = await tokenFor((await newUser()).uid, claims);
        await callRest(`/iam/v2/groups/${uid}:requestGroupAccess`, { token, body: {} });
        return ["GroupsService/RequestGroupAccess", { groupUid: uid }, token];
      },
    ],
  ];

  test.each(refusals)("%s", async (_, code, kind, asked) => {
    const [name, request, token] = await asked();
    const rpc = rpcOf(name);
    const expected = comparable(await callers.REST(rpc, request, token));
    expect(Code[expected.code]).toBe(Code[code]);
    expect(detail({ ...expected, headers: new Headers() }, kind)).toBeDefined();
    expect(detail({ ...expected, headers: new Headers() }, "ErrorInfo")).toMatchObject({
      reason: expect.stringMatching(/^[A-Z_]+$/),
      domain: `${rpc.method.parent.typeName.split(".")[1]}.platform.example`,
    });
    for (const [transport, ask] of all()) {
      expect(comparable(await ask(rpc, request, token)), transport).toEqual(expected);
    }
  });
});

describe("the path of an RPC", () => {
  const rpcPath = "platform.registry.v2.ReposService/GetRepo";
  const call = (path: string, type: string, body: BodyInit) =>
    fetch(`${baseUrl()}${path}`, {
      method: "POST",
      headers: {
        "content-type": type,
        authorization: `Bearer ${fixtures.token}`,
        "x-grpc-web": "1",
      },
      body,
    });
  const json = () => JSON.stringify({ uid: fixtures.repo });
  const framed = () => {
    const bytes = toBinary(
      GetRepoRequestSchema,
      create(GetRepoRequestSchema, { uid: fixtures.repo }),
    );
    const head = Buffer.alloc(5);
    head.writeUInt32BE(bytes.length, 1);
    return new Uint8Array(Buffer.concat([head, bytes]));
  };

  test.each([
    ["Connect JSON", "application/json", json],
    ["gRPC-Web", "application/grpc-web+proto", framed],
  ])("can begin with the vendor's name, over %s", async (_, type, body) => {
    const plain = await call(`/${rpcPath}`, type, body());
    const prefixed = await call(`/${vendor}.${rpcPath}`, type, body());
    expect(plain.status).toBe(200);
    expect(prefixed.status).toBe(200);
    expect(await prefixed.text()).toBe(await plain.text());
  });

  test.each(["another", "vendor.vendor", "vendorx", "VENDOR", ""])(
    "cannot begin with %j",
    async (prefix) => {
      const answer = await call(`/${prefix}.${rpcPath}`, "application/json", json());
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ code: Code.NotFound });
    },
  );

  test("of an unknown RPC of a known service is NOT_FOUND", async () => {
    const answer = await call("/platform.registry.v2.ReposService/Guess", "application/json", "{}");
    expect(answer.status).toBe(404);
  });
});

describe("headers of a response reach every transport", () => {
  /** A page token that expired an hour ago. */
  async function expiredToken(): Promise<string> {
    for (const name of ["a", "b"]) {
      await createResource(`/registry/v2/repos/${fixtures.organization.uid}`, fixtures.token, {
        name: randomName(name),
      });
    }
    const first = await callers.REST(
      rpcOf("ReposService/ListRepos"),
      { pageSize: 1 },
      fixtures.token,
    );
    const { nextPageToken } = first.message as { nextPageToken: string };
    const { iat = 0, exp = 0, ...claims } = decodeJwt(nextPageToken);
    const [key = ""] = JSON.parse(inject("pageTokenKeys")) as string[];
    const age = 3 * 24 * 3600 + 3600;
    return new SignJWT({ ...claims, iat: iat - age, exp: exp - age })
      .setProtectedHeader({ alg: "HS256" })
      .sign(base64url.decode(key));
  }

  test("page-token-expired, with the first page", async () => {
    const rpc = rpcOf("ReposService/ListRepos");
    const request = { pageSize: 1, pageToken: await expiredToken() };
    const { message: firstPage } = await callers.REST(rpc, { pageSize: 1 }, fixtures.token);
    for (const [transport, ask] of all()) {
      const { code, headers, message } = await ask(rpc, request, fixtures.token);
      expect(code, transport).toBe(0);
      expect(headers.get("page-token-expired"), transport).toBe("true");
      expect((message as JsonObject).repos, transport).toEqual((firstPage as JsonObject).repos);
    }
  });

  test("of an error too", async () => {
    const rpc = rpcOf("ReposService/GetRepo");
    for (const [transport, ask] of all()) {
      const uid = `${fixtures.organization.uid}/${step()}`;
      const { code, headers } = await ask(rpc, { uid }, fixtures.token);
      expect(code, transport).toBe(Code.NotFound);
      expect(headers.get("server-timing"), transport).toContain("round_trips=1");
    }
  });
});
