import { once } from "node:events";
import type { AddressInfo } from "node:net";
import {
  create,
  createFileRegistry,
  createRegistry,
  fromBinary,
  getOption,
  type MessageInitShape,
  toBinary,
} from "@bufbuild/protobuf";
import {
  type DescriptorProto,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt";
import { Code, createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import * as grpc from "@grpc/grpc-js";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { grpcBridge } from "../../../cli/grpc/bridge.ts";
import { services } from "../../../schema/descriptors.ts";
import { http } from "../../../schema/gen/google/api/annotations_pb.js";
import { Health } from "../../../schema/gen/grpc/health/v1/health_pb.js";
import {
  ServerReflection,
  ServerReflectionRequestSchema,
  type ServerReflectionResponse,
  ServerReflectionResponseSchema,
} from "../../../schema/gen/grpc/reflection/v1/reflection_pb.js";
import { PingService } from "../../../schema/gen/platform/ping/v2/ping_pb.js";
import { long, tiers } from "../../world/tiers.ts";

type Ask = NonNullable<MessageInitShape<typeof ServerReflectionRequestSchema>["messageRequest"]>;

// Nothing answers behind the bridge: it knows the API by itself.
let vendor: string | undefined;
const bridge = grpcBridge(new URL("http://127.0.0.1:1"), () => vendor);
beforeEach(() => {
  vendor = undefined;
});
let host = "";
beforeAll(async () => {
  bridge.listen(0, "127.0.0.1");
  await once(bridge, "listening");
  host = `127.0.0.1:${(bridge.address() as AddressInfo).port}`;
});
afterAll(() => bridge.close());

/** The responses to several requests in one stream. */
const ask = (...asks: Ask[]) =>
  askOver(createGrpcTransport({ baseUrl: `http://${host}` }), ...asks);

async function askOver(transport: Transport, ...asks: Ask[]) {
  const client = createClient(ServerReflection, transport);
  async function* requests() {
    for (const messageRequest of asks) yield { host: "here", messageRequest };
  }
  const got: ServerReflectionResponse["messageResponse"][] = [];
  for await (const answer of client.serverReflectionInfo(requests())) {
    expect(answer.validHost).toBe("here");
    expect(answer.originalRequest?.messageRequest).toMatchObject(asks[got.length] ?? {});
    got.push(answer.messageResponse);
  }
  return got;
}

/** The files in one response, by name. */
function filesIn(
  answer: ServerReflectionResponse["messageResponse"] | undefined,
): Map<string, FileDescriptorProto> {
  if (answer?.case !== "fileDescriptorResponse") throw new Error(`no files but ${answer?.case}`);
  const files = answer.value.fileDescriptorProto.map((it) =>
    fromBinary(FileDescriptorProtoSchema, it),
  );
  return new Map(files.map((file) => [file.name, file]));
}

/** A registry with the file of that name, built from only the given files. */
function fileFrom(files: Map<string, FileDescriptorProto>, name: string) {
  const inOrder = new Set<FileDescriptorProto>();
  const add = (wanted: string) => {
    const file = files.get(wanted);
    if (!file) throw new Error(`${wanted} is missing`);
    file.dependency.forEach(add);
    inOrder.add(file);
  };
  add(name);
  return createFileRegistry(create(FileDescriptorSetSchema, { file: [...inOrder] }));
}

const symbol = (value: string): Ask => ({ case: "fileContainingSymbol", value });
const file = (value: string): Ask => ({ case: "fileByFilename", value });

const own = services.map(({ typeName }) => typeName);

async function listed(): Promise<string[]> {
  const [answer] = await ask({ case: "listServices", value: "*" });
  if (answer?.case !== "listServicesResponse") throw new Error(`${answer?.case}`);
  return answer.value.service.map((service) => service.name).sort();
}

test("every service of the API is listed, with health and reflection", async () => {
  expect(await listed()).toEqual([...own, Health.typeName, ServerReflection.typeName].sort());
});

test("reflection speaks Connect and gRPC-Web, too", async () => {
  const options = { baseUrl: `http://${host}`, httpVersion: "2" as const };
  for (const transport of [createConnectTransport(options), createGrpcWebTransport(options)]) {
    const answers = await askOver(transport, symbol(PingService.typeName), file("nothing.proto"));
    expect(filesIn(answers[0]).has("platform/ping/v2/ping.proto")).toBe(true);
    expect(answers[1]?.case).toBe("errorResponse");
  }
});

describe("names are found with the vendor's name in front and with v2beta1", () => {
  const former = (name: string) => name.replace(/(?<=[./])v2(?=[./])/, "v2beta1");
  const kinds: [string, (name: string) => string, string[]][] = [
    ["v2beta1", former, []],
    ["the vendor's", (name) => `acme.${name}`, ["acme"]],
    ["the vendor's of v2beta1", (name) => `acme.${former(name)}`, ["acme"]],
  ];
  beforeEach(() => {
    vendor = "acme";
  });

  test("names with the vendor's name are listed with the plain ones, and v2beta1 is not", async () => {
    const all = [...own, ...own.map((name) => `acme.${name}`)];
    expect(await listed()).toEqual([...all, Health.typeName, ServerReflection.typeName].sort());
  });

  for (const [some, tier] of tiers(kinds, () => "kind")) {
    test.for(some)(
      "from %s alone, a client can call all methods of any service",
      tier,
      async ([, other]) => {
        for (const service of services) {
          const name = other(service.typeName);
          const files = filesIn((await ask(symbol(name)))[0]);
          const [path = ""] = files.keys();
          const learnt = fileFrom(files, path).getService(name);
          const type = (typeName: string) =>
            typeName.startsWith("platform.") ? other(typeName) : typeName;
          expect(
            learnt?.methods.map((it) => [it.name, it.input.typeName, it.output.typeName]),
          ).toEqual(
            service.methods.map((it) => [
              it.name,
              type(it.input.typeName),
              type(it.output.typeName),
            ]),
          );
          expect(learnt?.file.proto.package).toBe(name.slice(0, name.lastIndexOf(".")));
        }
      },
    );

    test.for(some)(
      "in files of %s each of our names has that form",
      tier,
      async ([, other, [prefix = ""]]) => {
        for (const service of services) {
          const files = filesIn((await ask(symbol(other(service.typeName))))[0]);
          const text = [...files.values()]
            .filter(({ name }) => name !== "platform/annotations/v1/annotations.proto")
            .filter(({ name }) => name !== "platform/capabilities/v1/capability.proto")
            .flatMap((it) => [it.name, it.package, ...it.dependency, ...typesOf(it)]);
          const ours = text.filter((name) => /(^|[./])platform[./]/.test(name));
          const odd = ours.filter(
            (name) =>
              !/annotations|^platform.capabilities/.test(name) &&
              (prefix !== "" ? !/^\.?acme[./]platform[./]/.test(name) : /^\.?acme/.test(name)),
          );
          expect(odd).toEqual([]);
          if (other("x.v2.y").includes("v2beta1")) {
            expect(ours.filter((name) => /[./]v2([./]|$)/.test(name))).toEqual([]);
          }
        }
      },
    );
  }

  test("all files of all kinds can be read together, and keep their options", async () => {
    const names = kinds.flatMap(([, other]) => [...own, ...own.map(other)]);
    const answers = await ask(...names.map(symbol));
    const files = new Map(answers.flatMap((answer) => [...filesIn(answer)]));
    const protos = [...files.values()];
    const inOrder = new Set<FileDescriptorProto>();
    const add = (name: string) => {
      const found = files.get(name);
      if (!found) throw new Error(`${name} is missing`);
      found.dependency.forEach(add);
      inOrder.add(found);
    };
    for (const { name } of protos) add(name);
    const all = createFileRegistry(create(FileDescriptorSetSchema, { file: [...inOrder] }));
    const numbers = [...all]
      .filter((type) => type.kind === "extension")
      .map(({ extendee, number }) => `${extendee.typeName} ${number}`);
    expect(new Set(numbers).size).toBe(numbers.length);
    const ping = all.getService("acme.platform.ping.v2beta1.PingService")?.method.ping;
    expect(ping && getOption(ping, http).pattern.value).toBe("/ping/v2/ping");
  });

  test.each([
    ["acme.platform.iam.v2.AccountAssociation", "acme"],
    ["acme.platform.iam.v2beta1.AccountAssociation", "acme"],
    ["acme.platform.iam.AccountAssociations", "acme"],
    ["platform.iam.v2beta1.AccountAssociation", "vendor"],
    ["platform.iam.v2.AccountAssociation", "vendor"],
  ])("%s has a field %s", async (name, field) => {
    const files = filesIn((await ask(symbol(name)))[0]);
    const [path = ""] = files.keys();
    const message = fileFrom(files, path).getMessage(name);
    const found = message?.fields.find(({ number }) => number === 7);
    const type = `${field.charAt(0).toUpperCase()}${field.slice(1)}`;
    expect([found?.name, found?.jsonName]).toEqual([field, field]);
    expect(found?.message?.typeName).toBe(`${name}.${type}`);
    expect(found?.message?.fields.map(({ name }) => name)).toEqual(["service_bindings"]);
    const [member] = await ask(symbol(`${name}.${field}`));
    expect([...filesIn(member).keys()][0]).toBe(path);
  });

  test("files are found by their paths, members and details by their names", async () => {
    const answers = await ask(
      file("acme/platform/iam/v2beta1/terms.proto"),
      symbol("acme.platform.iam.v2.TermsNotAcceptedDetail"),
      symbol("acme.platform.iam.v2beta1.GroupsService.ListGroups"),
      symbol("acme.platform.capabilities.v1.Capability"),
      symbol("acme.platform.advisory.v2.Severity.TYPE_CVSS_V2"),
      symbol("platform.capabilities.v1.UNKNOWN"),
    );
    expect(answers.map((answer) => [...filesIn(answer).keys()][0])).toEqual([
      "acme/platform/iam/v2beta1/terms.proto",
      "acme/platform/iam/v2/terms.proto",
      "acme/platform/iam/v2beta1/groups.proto",
      "acme/platform/capabilities/v1/capability.proto",
      "acme/platform/advisory/v2/security_advisory.proto",
      "platform/capabilities/v1/capability.proto",
    ]);
  });

  test.each([undefined, "corp", "my-corp", "acm.", ".*"])(
    "if the vendor is %j, acme is an unknown name",
    async (other) => {
      vendor = other;
      const [answer] = await ask(symbol("acme.platform.ping.v2.PingService"));
      expect(answer?.case).toBe("errorResponse");
    },
  );

  test("a name that is not a valid package is not listed", async () => {
    vendor = "my-corp";
    expect((await listed()).length).toBe(own.length + 2);
  });
});

/** The types of the fields and methods in a file. */
function typesOf({ messageType, service }: FileDescriptorProto): string[] {
  const inMessage = (one: DescriptorProto): string[] => [
    ...one.field.map(({ typeName }) => typeName),
    ...one.nestedType.flatMap(inMessage),
  ];
  return [
    ...messageType.flatMap(inMessage),
    ...service.flatMap(({ method }) => method.flatMap((it) => [it.inputType, it.outputType])),
  ];
}

test("from the response for any service alone, a client can call all its methods", async () => {
  for (const service of services) {
    const [answer] = await ask(symbol(service.typeName));
    const learnt = fileFrom(filesIn(answer), service.file.proto.name).getService(service.typeName);
    expect(learnt?.methods.map((it) => [it.name, it.input.typeName, it.output.typeName])).toEqual(
      service.methods.map((it) => [it.name, it.input.typeName, it.output.typeName]),
    );
  }
});

test("options such as the REST path are kept", async () => {
  const files = filesIn((await ask(symbol(PingService.typeName)))[0]);
  const learnt = fileFrom(files, PingService.file.proto.name).getService(PingService.typeName);
  const ping = learnt?.method.ping;
  expect(ping && getOption(ping, http).pattern.value).toBe("/ping/v2/ping");
});

test("the messages of error details are included with their fields", async () => {
  const files = filesIn((await ask(symbol("google.rpc.BadRequest")))[0]);
  const learnt = fileFrom(files, "google/rpc/error_details.proto");
  const violation = learnt.getMessage("google.rpc.BadRequest.FieldViolation");
  expect(violation?.fields.map(({ name }) => name)).toContain("description");
});

test("every import of every file is found by its name", long, async () => {
  const seen = new Set<string>();
  const wanted = services.map((service) => service.file.proto.name);
  for (let name = wanted.pop(); name; name = wanted.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    wanted.push(...(filesIn((await ask(file(name)))[0]).get(name)?.dependency ?? []));
  }
  expect([...seen]).toEqual(
    expect.arrayContaining(["google/api/annotations.proto", "google/protobuf/descriptor.proto"]),
  );
});

test.each([
  ["service", "platform.ping.v2.PingService", "platform/ping/v2/ping.proto"],
  ["error detail", "google.rpc.BadRequest", "google/rpc/error_details.proto"],
  ["method", "platform.ping.v2.PingService.Ping", "platform/ping/v2/ping.proto"],
  ["message", "platform.ping.v2.PingResponse", "platform/ping/v2/ping.proto"],
  ["field", "platform.ping.v2.PingResponse.response", "platform/ping/v2/ping.proto"],
  [
    "nested message",
    "google.protobuf.DescriptorProto.ExtensionRange",
    "google/protobuf/descriptor.proto",
  ],
  ["nested enum", "google.protobuf.FieldDescriptorProto.Type", "google/protobuf/descriptor.proto"],
  ["extension", "google.api.http", "google/api/annotations.proto"],
])("a %s is found by its full name", async (_, name, path) => {
  expect([...filesIn((await ask(symbol(name)))[0]).keys()][0]).toBe(path);
});

test("a stream sends an import once, and the requested file always", async () => {
  const [first, second] = await ask(
    symbol("platform.ping.v2.PingService"),
    file("platform/ping/v2/ping.proto"),
  );
  expect(filesIn(first).size).toBeGreaterThan(1);
  expect([...filesIn(second).keys()]).toEqual(["platform/ping/v2/ping.proto"]);
});

test("extensions are found by type and number, and listed", async () => {
  const extensions = [...createRegistry(...services.flatMap((it) => it.file.dependencies))];
  const ours = extensions.find(
    (it) => it.kind === "extension" && it.typeName === "google.api.http",
  );
  expect(ours).toMatchObject({ number: 72295728 });
  const containingType = "google.protobuf.MethodOptions";
  const [one, all] = await ask(
    { case: "fileContainingExtension", value: { containingType, extensionNumber: 72295728 } },
    { case: "allExtensionNumbersOfType", value: containingType },
  );
  expect([...filesIn(one).keys()][0]).toBe("google/api/annotations.proto");
  expect(all?.value).toMatchObject({ baseTypeName: containingType });
  expect(all?.case === "allExtensionNumbersResponse" && all.value.extensionNumber).toContain(
    72295728,
  );
});

test("a missing name gets NOT_FOUND, and the stream continues", async () => {
  const containingType = "google.protobuf.MethodOptions";
  const answers = await ask(
    symbol("platform.Nothing"),
    symbol("platform.ping.v2"),
    file("nothing.proto"),
    {
      case: "fileContainingExtension",
      value: { containingType: "google.protobuf.Any", extensionNumber: 1 },
    },
    { case: "fileContainingExtension", value: { containingType, extensionNumber: 1 } },
    { case: "allExtensionNumbersOfType", value: "platform.Nothing" },
    { case: "listServices", value: "" },
  );
  for (const answer of answers.slice(0, 6)) {
    expect(answer).toMatchObject({ case: "errorResponse", value: { errorCode: Code.NotFound } });
  }
  expect(answers[6]?.case).toBe("listServicesResponse");
});

test("older clients get responses under the name v1alpha", async () => {
  const client = new grpc.Client(host, grpc.credentials.createInsecure());
  const call = client.makeBidiStreamRequest(
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
    (value: Ask) =>
      Buffer.from(
        toBinary(
          ServerReflectionRequestSchema,
          create(ServerReflectionRequestSchema, { messageRequest: value }),
        ),
      ),
    (bytes) => fromBinary(ServerReflectionResponseSchema, bytes),
  );
  // The client waits for each answer before it asks again, as grpcurl does.
  for (let i = 0; i < 2; i++) {
    call.write({ case: "listServices", value: "" });
    const [answer] = await once(call, "data");
    expect(answer.messageResponse.case).toBe("listServicesResponse");
  }
  call.end();
  const [status] = await once(call, "status");
  expect(status.code).toBe(grpc.status.OK);
  client.close();
});
