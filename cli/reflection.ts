/**
 * gRPC server reflection: clients such as grpcurl learn the API from the server, without protos.
 * https://github.com/grpc/grpc/blob/master/doc/server-reflection.md
 */
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import {
  create,
  createRegistry,
  type DescFile,
  type MessageInitShape,
  toBinary,
} from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { files, services, registry as whole } from "../schema/descriptors.ts";
import {
  ServerReflection,
  type ServerReflectionRequest,
  type ServerReflectionResponse,
  ServerReflectionResponseSchema,
} from "../schema/gen/grpc/reflection/v1/reflection_pb.js";

type Listener = (req: Http2ServerRequest, res: Http2ServerResponse) => void;
type Answer = NonNullable<
  MessageInitShape<typeof ServerReflectionResponseSchema>["messageResponse"]
>;

/** Answers reflection calls (v1, and v1alpha of older clients), and gives all else to `otherwise`. */
export function reflectionHandler(otherwise: Listener): Listener {
  const serve = connectNodeAdapter({
    connect: false,
    grpcWeb: false,
    routes: (router) => router.service(ServerReflection, { serverReflectionInfo: answers }),
  });
  const path = `/${ServerReflection.typeName}/${ServerReflection.method.serverReflectionInfo.name}`;
  return (req, res) => {
    // The messages of v1alpha are those of v1.
    if (req.url === path.replace(".v1.", ".v1alpha.")) req.url = path;
    if (req.url === path) serve(req, res);
    else otherwise(req, res);
  };
}

async function* answers(
  requests: AsyncIterable<ServerReflectionRequest>,
): AsyncGenerator<ServerReflectionResponse> {
  const sent = new Set<DescFile>();
  for await (const request of requests) {
    yield create(ServerReflectionResponseSchema, {
      validHost: request.host,
      originalRequest: request,
      messageResponse: answer(request.messageRequest, sent),
    });
  }
}

function answer(ask: ServerReflectionRequest["messageRequest"], sent: Set<DescFile>): Answer {
  switch (ask.case) {
    case "listServices": {
      const service = [...services, ServerReflection].map(({ typeName }) => ({ name: typeName }));
      return { case: "listServicesResponse", value: { service } };
    }
    case "fileByFilename":
      return fileAnswer(filesByName.get(ask.value), `file ${ask.value}`, sent);
    case "fileContainingSymbol":
      return fileAnswer(filesBySymbol.get(ask.value), `symbol ${ask.value}`, sent);
    case "fileContainingExtension": {
      const { containingType, extensionNumber } = ask.value;
      const extension = extensionsOf(containingType).find((it) => it.number === extensionNumber);
      const what = `extension ${extensionNumber} of ${containingType}`;
      return fileAnswer(extension?.file, what, sent);
    }
    case "allExtensionNumbersOfType": {
      if (!registry.getMessage(ask.value)) return notFound(`message ${ask.value}`);
      const extensionNumber = extensionsOf(ask.value).map((extension) => extension.number);
      const value = { baseTypeName: ask.value, extensionNumber };
      return { case: "allExtensionNumbersResponse", value };
    }
    default:
      throw new ConnectError("a reflection request asks for nothing", Code.InvalidArgument);
  }
}

/** The file and what it imports, less what this stream has had: clients keep what they get. */
function fileAnswer(file: DescFile | undefined, what: string, sent: Set<DescFile>): Answer {
  if (!file) return notFound(what);
  const fresh = withImports(file).filter((it) => it === file || !sent.has(it));
  for (const it of fresh) sent.add(it);
  const fileDescriptorProto = fresh.map((it) => toBinary(FileDescriptorProtoSchema, it.proto));
  return { case: "fileDescriptorResponse", value: { fileDescriptorProto } };
}

function notFound(what: string): Answer {
  const value = { errorCode: Code.NotFound, errorMessage: `${what} is not known` };
  return { case: "errorResponse", value };
}

function withImports(file: DescFile, found = new Set<DescFile>()): DescFile[] {
  found.add(file);
  for (const it of file.dependencies) if (!found.has(it)) withImports(it, found);
  return [...found];
}

// Error details travel as Any: no file of ours imports their types, and a client needs them to show
// what an error says.
const others = ["google/rpc/error_details.proto", ServerReflection.file.proto.name].map((name) => {
  const file = whole.getFile(name);
  if (!file) throw new Error(`${name} is not among the protos`);
  return file;
});
const allFiles = [...files, ...others].flatMap((file) => withImports(file));
const filesByName = new Map(allFiles.map((file) => [file.proto.name, file]));
const registry = createRegistry(...filesByName.values());
const filesBySymbol = new Map(
  [...filesByName.values()].flatMap((file) => symbolsOf(file).map((name) => [name, file] as const)),
);

/** Full names of what a file declares, with the members of messages and services. */
function symbolsOf(file: DescFile): string[] {
  return [...nestedTypes(file)].flatMap((type) => {
    const members =
      type.kind === "message"
        ? [...type.fields, ...type.oneofs]
        : type.kind === "service"
          ? type.methods
          : [];
    return [type.typeName, ...members.map((member) => `${type.typeName}.${member.name}`)];
  });
}

function extensionsOf(typeName: string) {
  return [...registry]
    .filter((type) => type.kind === "extension")
    .filter((extension) => extension.extendee.typeName === typeName);
}
