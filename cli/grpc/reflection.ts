/**
 * gRPC server reflection: clients such as grpcurl read the API from the server and need no protos.
 * https://github.com/grpc/grpc/blob/master/doc/server-reflection.md
 */
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import {
  create,
  createFileRegistry,
  createRegistry,
  type DescFile,
  type MessageInitShape,
  type Registry,
  toBinary,
} from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import {
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { files, registry, services } from "../../schema/descriptors.ts";
import { Health } from "../../schema/gen/grpc/health/v1/health_pb.js";
import {
  ServerReflection,
  type ServerReflectionRequest,
  type ServerReflectionResponse,
  ServerReflectionResponseSchema,
} from "../../schema/gen/grpc/reflection/v1/reflection_pb.js";
import { type Naming, namingOf, renamedFiles } from "./reflection_names.ts";

type Listener = (req: Http2ServerRequest, res: Http2ServerResponse) => void;
type Answer = NonNullable<
  MessageInitShape<typeof ServerReflectionResponseSchema>["messageResponse"]
>;

/**
 * Returns a listener that handles reflection calls in gRPC, Connect and gRPC-Web, and passes all other requests to
 * `otherwise`. It supports v1, and v1alpha for older clients. `vendor` returns the name that may precede packages, once
 * it is known.
 */
export function reflectionHandler(otherwise: Listener, vendor: () => string | undefined): Listener {
  const serve = connectNodeAdapter({
    routes: (router) =>
      router.service(ServerReflection, {
        serverReflectionInfo: (requests) => answers(requests, packageName(vendor())),
      }),
  });
  const path = `/${ServerReflection.typeName}/${ServerReflection.method.serverReflectionInfo.name}`;
  return (req, res) => {
    // The messages of v1alpha are those of v1.
    if (req.url === path.replace(".v1.", ".v1alpha.")) req.url = path;
    if (req.url === path) serve(req, res);
    else otherwise(req, res);
  };
}

/** Returns the vendor's name if it can be the name of a package, otherwise an empty string. */
const packageName = (vendor = "") => (/^[a-z][a-z0-9_]*$/.test(vendor) ? vendor : "");

async function* answers(
  requests: AsyncIterable<ServerReflectionRequest>,
  vendor: string,
): AsyncGenerator<ServerReflectionResponse> {
  const sent = new Set<string>();
  for await (const request of requests) {
    yield create(ServerReflectionResponseSchema, {
      validHost: request.host,
      originalRequest: request,
      messageResponse: answer(request.messageRequest, sent, vendor),
    });
  }
}

function answer(
  request: ServerReflectionRequest["messageRequest"],
  sent: Set<string>,
  vendor: string,
): Answer {
  switch (request.case) {
    case "listServices": {
      const own = services.map(({ typeName }) => typeName);
      const names = [...own, ...(vendor ? own.map((name) => `${vendor}.${name}`) : [])];
      const all = [...names, Health.typeName, ServerReflection.typeName];
      const service = all.map((name) => ({ name }));
      return { case: "listServicesResponse", value: { service } };
    }
    case "fileByFilename":
      return fileAnswer(
        knownBy(request.value, vendor).files.get(request.value),
        `file ${request.value}`,
        sent,
      );
    case "fileContainingSymbol":
      return fileAnswer(
        knownBy(request.value, vendor).symbols.get(request.value),
        `symbol ${request.value}`,
        sent,
      );
    case "fileContainingExtension": {
      const { containingType, extensionNumber } = request.value;
      const { types } = knownBy(containingType, vendor);
      const extensions = extensionsOf(containingType, types);
      const extension = extensions.find((it) => it.number === extensionNumber);
      const what = `extension ${extensionNumber} of ${containingType}`;
      return fileAnswer(extension?.file, what, sent);
    }
    case "allExtensionNumbersOfType": {
      const { types } = knownBy(request.value, vendor);
      if (!types.getMessage(request.value)) return notFound(`message ${request.value}`);
      const extensionNumber = extensionsOf(request.value, types).map(
        (extension) => extension.number,
      );
      const value = { baseTypeName: request.value, extensionNumber };
      return { case: "allExtensionNumbersResponse", value };
    }
    default:
      throw new ConnectError("the reflection request is empty", Code.InvalidArgument);
  }
}

/** Returns the file and its imports, without those that this stream has already sent. Clients keep the files. */
function fileAnswer(file: DescFile | undefined, what: string, sent: Set<string>): Answer {
  if (!file) return notFound(what);
  const fresh = withImports(file).filter((it) => it === file || !sent.has(it.proto.name));
  for (const it of fresh) sent.add(it.proto.name);
  const fileDescriptorProto = fresh.map((it) => toBinary(FileDescriptorProtoSchema, it.proto));
  return { case: "fileDescriptorResponse", value: { fileDescriptorProto } };
}

function notFound(what: string): Answer {
  const value = { errorCode: Code.NotFound, errorMessage: `there is no ${what}` };
  return { case: "errorResponse", value };
}

function withImports(file: DescFile, files = new Set<DescFile>()): DescFile[] {
  files.add(file);
  for (const it of file.dependencies) if (!files.has(it)) withImports(it, files);
  return [...files];
}

// Error details travel as Any. None of our files imports their types, but a client needs the types to show the details.
const others = [
  "google/rpc/error_details.proto",
  Health.file.proto.name,
  ServerReflection.file.proto.name,
];
const filesWithImports = [...files, ...others.map(fileNamed)].flatMap((file) => withImports(file));
const allFiles = [...new Set(filesWithImports)];

function fileNamed(name: string): DescFile {
  const file = registry.getFile(name);
  if (!file) throw new Error(`${name} is not among the protos`);
  return file;
}

/** Everything that has names of one kind. */
interface Known {
  files: Map<string, DescFile>;
  symbols: Map<string, DescFile>;
  types: Registry;
}

const known = new Map<string, Known>();

/** Returns the files that use the same kind of name as a full name or a path of a file. They are built at first use. */
function knownBy(name: string, vendor: string): Known {
  const naming = namingOf(name, vendor);
  const key = JSON.stringify(naming);
  const entry = known.get(key) ?? newKnown(naming);
  known.set(key, entry);
  return entry;
}

function newKnown(naming: Naming): Known {
  const isPlain = naming.vendor === "" && !naming.isBeta;
  const named = isPlain ? allFiles : filesOf(renamedFiles(allFiles, naming));
  return {
    files: new Map(named.map((file) => [file.proto.name, file])),
    symbols: new Map(named.flatMap((file) => symbolsOf(file).map((name) => [name, file] as const))),
    types: createRegistry(...named),
  };
}

/** Returns the descriptors of renamed files and of the files that they import. */
function filesOf(renamed: FileDescriptorProto[]): DescFile[] {
  const protos = new Map(
    [...allFiles.map(({ proto }) => proto), ...renamed].map((file) => [file.name, file]),
  );
  const inOrder = new Set<FileDescriptorProto>();
  const add = (path: string) => {
    const proto = protos.get(path);
    if (!proto) throw new Error(`${path} is imported but does not exist`);
    proto.dependency.forEach(add);
    inOrder.add(proto);
  };
  for (const { name } of renamed) add(name);
  const set = create(FileDescriptorSetSchema, { file: [...inOrder] });
  return [...createFileRegistry(set).files];
}

/**
 * Returns the full names of everything that a file declares, including the members of messages and services. The values
 * of an enum are in the scope of the enum's parent (https://protobuf.com/docs/language-spec#enum-value-scoping).
 */
function symbolsOf(file: DescFile): string[] {
  return [...nestedTypes(file)].flatMap((type) => {
    const members =
      type.kind === "message"
        ? [...type.fields, ...type.oneofs]
        : type.kind === "service"
          ? type.methods
          : [];
    if (type.kind === "enum") {
      const scope = type.typeName.slice(0, -type.name.length);
      return [type.typeName, ...type.values.map(({ name }) => `${scope}${name}`)];
    }
    return [type.typeName, ...members.map((member) => `${type.typeName}.${member.name}`)];
  });
}

const extensionsOf = (typeName: string, types: Registry) =>
  [...types]
    .filter((type) => type.kind === "extension")
    .filter((extension) => extension.extendee.typeName === typeName);
