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
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt";
import { Code, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import * as grpc from "@grpc/grpc-js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { grpcBridge } from "../../cli/grpc_bridge.ts";
import { services } from "../../schema/descriptors.ts";
import { http } from "../../schema/gen/google/api/annotations_pb.js";
import {
  ServerReflection,
  ServerReflectionRequestSchema,
  type ServerReflectionResponse,
  ServerReflectionResponseSchema,
} from "../../schema/gen/grpc/reflection/v1/reflection_pb.js";
import { PingService } from "../../schema/gen/platform/ping/v2/ping_pb.js";

type Ask = NonNullable<MessageInitShape<typeof ServerReflectionRequestSchema>["messageRequest"]>;

// Nothing answers behind the bridge: it knows the API by itself.
const bridge = grpcBridge(new URL("http://127.0.0.1:1"));
let host = "";
beforeAll(async () => {
  bridge.listen(0, "127.0.0.1");
  await once(bridge, "listening");
  host = `127.0.0.1:${(bridge.address() as AddressInfo).port}`;
});
afterAll(() => bridge.close());

/** The answers to some questions in one stream. */
async function ask(...asks: Ask[]): Promise<ServerReflectionResponse["messageResponse"][]> {
  const client = createClient(ServerReflection, createGrpcTransport({ baseUrl: `http://${host}` }));
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

/** Files by name in one answer. */
function filesIn(
  answer: ServerReflectionResponse["messageResponse"] | undefined,
): Map<string, FileDescriptorProto> {
  if (answer?.case !== "fileDescriptorResponse") throw new Error(`no files but ${answer?.case}`);
  const files = answer.value.fileDescriptorProto.map((it) =>
    fromBinary(FileDescriptorProtoSchema, it),
  );
  return new Map(files.map((file) => [file.name, file]));
}

/** A registry of the file by that name, made of nothing but the given ones. */
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

test("every service of the API is listed, and reflection itself", async () => {
  const [answer] = await ask({ case: "listServices", value: "*" });
  if (answer?.case !== "listServicesResponse") throw new Error(`${answer?.case}`);
  const names = answer.value.service.map((service) => service.name);
  expect(names.sort()).toEqual([...services, ServerReflection].map((it) => it.typeName).sort());
});

test("from the answer for any service alone, a client can call all its methods", async () => {
  for (const service of services) {
    const [answer] = await ask(symbol(service.typeName));
    const learnt = fileFrom(filesIn(answer), service.file.proto.name).getService(service.typeName);
    expect(learnt?.methods.map((it) => [it.name, it.input.typeName, it.output.typeName])).toEqual(
      service.methods.map((it) => [it.name, it.input.typeName, it.output.typeName]),
    );
  }
});

test("options such as the REST path survive", async () => {
  const files = filesIn((await ask(symbol(PingService.typeName)))[0]);
  const learnt = fileFrom(files, PingService.file.proto.name).getService(PingService.typeName);
  const ping = learnt?.method.ping;
  expect(ping && getOption(ping, http).pattern.value).toBe("/ping/v2/ping");
});

test("the messages of error details come with their fields", async () => {
  const files = filesIn((await ask(symbol("google.rpc.BadRequest")))[0]);
  const learnt = fileFrom(files, "google/rpc/error_details.proto");
  const violation = learnt.getMessage("google.rpc.BadRequest.FieldViolation");
  expect(violation?.fields.map(({ name }) => name)).toContain("description");
});

test("every import of every file is found by its name", async () => {
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

test("a stream sends an import once, and the file asked for always", async () => {
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

test("what does not exist is answered NOT_FOUND, and the stream goes on", async () => {
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

test("older clients are answered under the name v1alpha", async () => {
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
