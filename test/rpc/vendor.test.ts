/** Names with the vendor's name in the contract, on a platform whose operator is called acme. */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
import {
  createClient as createPlatformClient,
  FailedPrecondition,
  staticToken,
} from "platform-api/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  AccountAssociationSchema,
  AccountAssociationsService,
} from "../../schema/gen/platform/iam/v2/account_associations_pb.js";
import { TermsNotAcceptedDetailSchema } from "../../schema/gen/platform/iam/v2/terms_pb.js";
import { ReposService } from "../../schema/gen/platform/registry/v2/repos_pb.js";
import { startAcme } from "../world/acme.ts";

let platform: Awaited<ReturnType<typeof startAcme>>;
let group: string;
let identity: string;
/** The same link as JSON. Platforms with other names call it `vendor`. */
let link: { serviceBindings: Record<string, string> };
beforeAll(async () => {
  platform = await startAcme();
  group = await platform.newOrganization();
  const servicePrincipal = "SERVICE_PRINCIPAL_COSIGNED";
  const made = await call(`/iam/v2/identities/${group}`, { name: "servant", servicePrincipal });
  identity = made.body.uid;
  link = { serviceBindings: { COSIGNED: identity } };
});
afterAll(() => platform?.close());

const call = (...given: Parameters<typeof platform.call>) => platform.call(...given);

const transports = (): Record<string, Transport> => {
  const interceptors = [
    (next: (request: never) => unknown) => (request: { header: Headers }) => {
      request.header.set("authorization", `Bearer ${platform.token}`);
      return next(request as never);
    },
  ] as never;
  const options = { baseUrl: platform.origin, interceptors };
  return {
    "Connect JSON": createConnectTransport(options),
    "Connect binary": createConnectTransport({ ...options, useBinaryFormat: true }),
    "gRPC-Web": createGrpcWebTransport(options),
  };
};

const v2 = "/iam/v2/accountAssociations";
const v1 = "/iam/v1/account_associations";
const rpc = (name: string) => `/acme.platform.iam.v2.AccountAssociationsService/${name}`;

/** A group with an association that has two links. */
async function newLinked() {
  await call(`${v2}/${group}`, undefined, "DELETE");
  const body = { name: "clouds", azure: azure(), acme: link };
  const made = await call(`${v2}/${group}`, body);
  expect([made.status, made.body.acme]).toEqual([200, link]);
}
const azure = () => {
  const guid = "11111111-2222-3333-4444-555555555555";
  return { tenantId: guid, clientIds: { scanner: guid } };
};

describe("the association's field with the operator's name", () => {
  test.each(["acme", "vendor"])("is read over REST as %s, and returned as acme", async (key) => {
    await call(`${v2}/${group}`, undefined, "DELETE");
    const made = await call(`${v2}/${group}`, { name: "clouds", [key]: link });
    expect(made).toMatchObject({ status: 200, body: { acme: link } });
    expect(made.body).not.toHaveProperty("vendor");
    expect((await call(`${v2}/${group}`)).body).toEqual(made.body);
    const { body } = await call(`${v2}?name=clouds`);
    expect(body.accountAssociations).toEqual([made.body]);
  });

  test("is rejected if both its names are given", async () => {
    await newLinked();
    for (const [path, body] of [
      [`${v2}/${group}`, { acme: link, vendor: link }],
      [
        rpc("UpdateAccountAssociation"),
        { accountAssociation: { uid: group, acme: link, vendor: link } },
      ],
    ] as const) {
      const method = path === `${v2}/${group}` ? "PATCH" : "POST";
      const { status, body: refusal } = await call(path, body, method);
      expect([status, refusal.message]).toEqual([
        400,
        "Invalid argument: acme: acme is given twice, as acme and as vendor; send one",
      ]);
    }
  });

  test.each(["acme", "vendor"])("is read over Connect as %s, and returned as acme", async (key) => {
    await call(`${v2}/${group}`, undefined, "DELETE");
    const accountAssociation = { name: "clouds", [key]: link };
    const made = await call(rpc("CreateAccountAssociation"), { parent: group, accountAssociation });
    expect(made).toMatchObject({ status: 200, body: { acme: link } });
    expect(made.body).not.toHaveProperty("vendor");
    expect((await call(rpc("GetAccountAssociation"), { uid: group })).body).toEqual(made.body);
    const { body } = await call(rpc("ListAccountAssociations"), { name: "clouds" });
    expect(body.accountAssociations).toEqual([made.body]);
  });

  test("is read and returned in the JSON of gRPC-Web, too", async () => {
    await newLinked();
    const message = Buffer.from(JSON.stringify({ accountAssociation: { uid: group, acme: link } }));
    const head = Buffer.alloc(5);
    head.writeUInt32BE(message.length, 1);
    const response = await fetch(platform.origin + rpc("UpdateAccountAssociation"), {
      method: "POST",
      headers: {
        "content-type": "application/grpc-web+json",
        authorization: `Bearer ${platform.token}`,
      },
      body: new Uint8Array(Buffer.concat([head, message])),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const length = bytes.readUInt32BE(1);
    expect(JSON.parse(bytes.subarray(5, 5 + length).toString())).toMatchObject({ acme: link });
    expect(bytes.subarray(5 + length + 5).toString()).toContain("grpc-status: 0");
  });

  test("is the same field on binary transports", async () => {
    for (const [name, transport] of Object.entries(transports())) {
      await newLinked();
      const got = await createClient(AccountAssociationsService, transport).getAccountAssociation({
        uid: group,
      });
      const expected = name === "Connect JSON" ? undefined : link.serviceBindings;
      // A client of these protos reads another key in JSON, so it must be given the name.
      expect(got.vendor?.serviceBindings, name).toEqual(expected);
    }
  });

  test.each(["acme", "vendor", "acme.serviceBindings", "acme.service_bindings"])(
    "is named by the mask %s over REST",
    async (mask) => {
      await newLinked();
      const path = `${v2}/${group}?updateMask=${mask}`;
      // Bindings may not be empty: what clears them alone is refused by their name.
      const { status, body } = await call(path, {}, "PATCH");
      if (mask.includes(".")) {
        expect(body.details[1].fieldViolations[0].field).toBe("acme.service_bindings");
        expect(body.message).toContain("acme.service_bindings");
      } else {
        expect([status, body.acme, body.azure]).toEqual([200, undefined, azure()]);
      }
    },
  );

  test.each(["acme", "vendor"])("is named by the mask %s on every RPC transport", async (path) => {
    for (const [name, transport] of Object.entries(transports())) {
      await newLinked();
      const client = createClient(AccountAssociationsService, transport);
      const accountAssociation = { uid: group };
      await client.updateAccountAssociation({ accountAssociation, updateMask: { paths: [path] } });
      expect((await call(`${v2}/${group}`)).body, name).not.toHaveProperty("acme");
    }
  });

  test("is named by its mask if it has no such member", async () => {
    await newLinked();
    const { body } = await call(`${v2}/${group}?updateMask=acme.nothing`, {}, "PATCH");
    expect(body.details[1].fieldViolations).toEqual([
      {
        field: "update_mask",
        description: "update_mask names a field that does not exist: acme.nothing",
      },
    ]);
    const unknown = await call(`${v2}/${group}`, { acme: { nothing: 1 } }, "PATCH");
    expect(unknown.body.details[1].fieldViolations).toEqual([
      {
        field: "acme.nothing",
        description:
          "acme.nothing is not a field; remove it, or list the fields to change in update_mask",
      },
    ]);
  });

  test.each([
    [{ COSIGNED: "x" }, /^acme\.service_bindings\["COSIGNED"\] must be 40 /],
    [
      { NOBODY: "0".repeat(40) },
      /^acme\.service_bindings\["NOBODY"\] must have the name of a service/,
    ],
    [
      { INGESTER: "0".repeat(40) },
      /^acme\.service_bindings\["INGESTER"\] must be the uid of an identity/,
    ],
  ])("is named in the error if %j is rejected, in both versions", async (serviceBindings, text) => {
    await newLinked();
    const acme = { serviceBindings };
    const answers = [
      await call(`${v2}/${group}`, { acme }, "PATCH"),
      await call(`${v1}/${group}`, { name: "clouds", acme }, "PUT"),
      await call(rpc("UpdateAccountAssociation"), { accountAssociation: { uid: group, acme } }),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(400);
      expect(body.message).toMatch(
        new RegExp(`acme\\.service_bindings.*: ${text.source.slice(1)}`),
      );
      expect(JSON.stringify(body)).not.toContain("vendor.");
    }
    for (const { body } of answers.slice(0, 2)) {
      const [violation] = body.details[1].fieldViolations;
      expect(violation.field).toMatch(/^acme\.service_bindings\["[A-Z]+"\]$/);
      expect(violation.description).toMatch(text);
    }
  });

  test.each(["acme", "vendor"])("is read by version 1 as %s, and returned as acme", async (key) => {
    await newLinked();
    const body = { name: "of v1", [key]: link };
    const put = await call(`${v1}/${group}`, body, "PUT");
    expect(put).toMatchObject({ status: 200, body: { group, acme: link } });
    const { items } = (await call(`${v1}?group=${group}`)).body;
    expect(items).toEqual([put.body]);
    expect(put.body).not.toHaveProperty("vendor");
  });

  test("has its name in events of both versions", async () => {
    await newLinked();
    await call(`${v1}/${group}`, { name: "of v1", acme: link }, "PUT");
    const rows = await platform.sql(
      "select data from events where subject = ? and type like 'dev.acme.%account_associations.%' order by time desc, rowid desc limit 2",
      group,
    );
    const bodies = rows.map(({ data }) => JSON.parse(String(data)).body);
    expect(bodies.map((body) => body.acme)).toEqual([link, link]);
    expect(bodies.map((body) => "vendor" in body)).toEqual([false, false]);
  });

  test("is stored under the name of the proto, so that a renamed operator loses nothing", async () => {
    await newLinked();
    const [row] = await platform.sql(
      "select accounts from account_associations where uid = ?",
      group,
    );
    expect(JSON.parse(String(row?.accounts))).toMatchObject({ vendor: link });
  });

  test("is read by the client of this project under the name of its types", async () => {
    const { origin: url, token } = platform;
    const client = createPlatformClient({ url, token: staticToken(token), vendor: "acme" });
    await call(`${v2}/${group}`, undefined, "DELETE");
    const made = await client.accountAssociations.create(group, { name: "x", vendor: link });
    expect(made.vendor).toEqual(link);
    expect(await client.accountAssociations.get(group)).toEqual(made);
    expect(await client.accountAssociations.list({ name: "x" }).all()).toEqual([made]);
    const options = { updateMask: ["vendor"] };
    expect(await client.accountAssociations.update(group, {}, options)).not.toHaveProperty(
      "vendor",
    );
  });
});

describe("terms that are not accepted", () => {
  const missing = [
    { id: "sfdpa.v1", label: "Data Privacy Agreement", url: "https://terms.example/sfdpa" },
  ];
  const newRepo = { name: "image" };

  test.each([
    ["v2", "/registry/v2/repos", "acme.platform.iam.v2.TermsNotAcceptedDetail"],
    ["v2beta1", "/registry/v2beta1/repos", "acme.platform.iam.v2.TermsNotAcceptedDetail"],
    ["v1", "/registry/v1/repos", "acme.platform.iam.TermsNotAcceptedDetail"],
  ])("are returned over REST of %s with the operator's name", async (_, path, type) => {
    const { status, body } = await call(`${path}/${group}`, newRepo);
    expect([status, body.code, body.message]).toEqual([400, 9, "terms not accepted"]);
    expect(body.details[0]["@type"]).toBe("type.googleapis.com/google.rpc.ErrorInfo");
    expect(body.details[0].domain).toBe("registry.platform.example");
    expect(body.details[1]).toEqual({ "@type": `type.googleapis.com/${type}`, missing });
  });

  test("are returned over Connect and gRPC-Web with the operator's name", async () => {
    for (const [name, transport] of Object.entries(transports())) {
      const asked = createClient(ReposService, transport).createRepo({
        parent: group,
        repo: newRepo,
      });
      const error = await asked.then(
        () => undefined,
        (thrown) => thrown,
      );
      const [info, detail] = error.details;
      expect([error.code, info.type], name).toEqual([9, "google.rpc.ErrorInfo"]);
      expect(detail.type, name).toBe("acme.platform.iam.v2.TermsNotAcceptedDetail");
      expect(fromBinary(TermsNotAcceptedDetailSchema, detail.value)).toMatchObject({ missing });
    }
  });

  test("are returned over Connect with readable JSON", async () => {
    const path = "/platform.registry.v2beta1.ReposService/CreateRepo";
    const { body } = await call(path, { parent: group, repo: newRepo });
    expect(body.details[1]).toMatchObject({
      type: "acme.platform.iam.v2.TermsNotAcceptedDetail",
      debug: { missing },
    });
  });

  test("are shown by the client of this project", async () => {
    const { origin: url, token } = platform;
    const client = createPlatformClient({ url, token: staticToken(token) });
    const error = await client.repos.create(group, newRepo).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(FailedPrecondition);
    expect((error as FailedPrecondition).missingTerms).toEqual(missing);
  });
});

test("the health check accepts the operator's name in the name of a service", async () => {
  const path = "/grpc.health.v1.Health/Check";
  for (const service of [
    "acme.platform.iam.v2.GroupsService",
    "acme.platform.iam.v2beta1.GroupsService",
    "acme.platform.iam.Groups",
  ]) {
    expect((await call(path, { service })).body, service).toEqual({ status: "SERVING" });
  }
  const other = await call(path, { service: "vendor.platform.iam.v2.GroupsService" });
  expect(other.status).toBe(404);
});

test("the OpenAPI document has the operator's name", async () => {
  const text = JSON.stringify((await call("/openapi.json")).body);
  const { properties } = JSON.parse(text).components.schemas.AccountAssociation;
  expect(Object.keys(properties)).toContain("acme");
  expect(Object.keys(properties)).not.toContain("vendor");
  expect(text).toContain("type.googleapis.com/acme.platform.iam.v2.TermsNotAcceptedDetail");
  expect(text).toContain('"platform_registry_vendor":"acme"');
  // A word of CSAF, which is not the operator's name.
  expect(text).toContain('"category":"vendor"');
});

test("a binary request to the earlier name of a service with the operator's name has a response", async () => {
  await newLinked();
  const body = toBinary(AccountAssociationSchema, create(AccountAssociationSchema, { uid: group }));
  const path = "/acme.platform.iam.v2beta1.AccountAssociationsService/GetAccountAssociation";
  const response = await fetch(platform.origin + path, {
    method: "POST",
    headers: { "content-type": "application/proto", authorization: `Bearer ${platform.token}` },
    body: new Uint8Array(body),
  });
  const answer = fromBinary(AccountAssociationSchema, new Uint8Array(await response.arrayBuffer()));
  expect(answer.vendor?.serviceBindings).toEqual(link.serviceBindings);
});

test("JSON with too much nesting is rejected over REST and Connect", async () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const post = async (path: string, body: string) => {
    const headers = {
      authorization: `Bearer ${platform.token}`,
      "content-type": "application/json",
    };
    const response = await fetch(platform.origin + path, { method: "POST", headers, body });
    return [response.status, (await response.json()).message];
  };
  const says = (field: string) =>
    `Invalid argument: ${field}: ${field} is nested more than 200 levels deep`;
  expect(await post(`${v2}/${group}`, `{"name":"a","azure":${deep}}`)).toEqual([
    400,
    says("azure"),
  ]);
  const inRequest = (name: string) =>
    `{"parent":"${group}","accountAssociation":{"${name}":${deep}}}`;
  const create = rpc("CreateAccountAssociation");
  expect(await post(create, inRequest("azure"))).toEqual([400, says("azure")]);
  expect(await post(create, inRequest("acme"))).toEqual([400, says("acme")]);
});

test.each(["application/JSON", "Application/Json; charset=UTF-8"])(
  "a Connect call as %s is JSON, in which acme is a field",
  async (type) => {
    await newLinked();
    const response = await fetch(platform.origin + rpc("UpdateAccountAssociation"), {
      method: "POST",
      headers: { authorization: `Bearer ${platform.token}`, "content-type": type },
      body: JSON.stringify({ accountAssociation: { uid: group, acme: link }, updateMask: "acme" }),
    });
    expect([response.status, (await response.json()).acme]).toEqual([200, link]);
  },
);
