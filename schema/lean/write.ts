/**
 * Makes the modules that protoc-gen-es wrote lean (schema/lean/file.ts): their descriptors in base64 would
 * be most of a Worker's size. The whole descriptors go to schema/gen/descriptors.binpb.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import {
  create,
  type DescExtension,
  type DescField,
  type DescFile,
  type DescMessage,
  toBinary,
} from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { leanFile } from "./thin.ts";

/** Rewrites the modules of schema/gen at these paths, and writes descriptors.binpb beside them. */
export async function writeLean(gen: string, paths: string[]): Promise<void> {
  const files = new Map<string, DescFile>();
  for (const path of paths) {
    const file = await fileIn(join(gen, path));
    collect(file, files);
    const text = readFileSync(join(gen, path), "utf8");
    writeFileSync(join(gen, path), leanModule(text, file, path));
  }
  const protos = [...files.values()].map(({ proto }) => proto);
  const set = create(FileDescriptorSetSchema, { file: protos });
  writeFileSync(join(gen, "descriptors.binpb"), toBinary(FileDescriptorSetSchema, set));
}

async function fileIn(path: string): Promise<DescFile> {
  const module: Record<string, { kind?: string }> = await import(pathToFileURL(path).href);
  const file = Object.values(module).find(({ kind }) => kind === "file");
  if (!file) throw new Error(`${path} has no descriptor of a file`);
  return file as DescFile;
}

/** Imports before what imports them, as a FileDescriptorSet has them. */
function collect(file: DescFile, into: Map<string, DescFile>): void {
  if (into.has(file.proto.name)) return;
  for (const one of file.dependencies) collect(one, into);
  into.set(file.proto.name, file);
}

const symbolOf = ({ name }: DescFile) => `file_${name.replace(/[^a-zA-Z0-9]/g, "_")}`;

const descriptor = /fileDesc\("[^"]*"(?:, \[[^\]]*\])?\)/;

/** The text of a module with its descriptor lean, and without the imports that it no longer needs. */
function leanModule(text: string, file: DescFile, path: string): string {
  if (!descriptor.test(text)) throw new Error(`${path} has no descriptor in base64`);
  const symbols = neededFiles(file).map(symbolOf);
  const literal = inspect(leanFile(file), {
    ...{ depth: null, breakLength: 110, compact: 4 },
    ...{ maxArrayLength: null, maxStringLength: null },
  });
  const hydrate = relative(dirname(path), "../lean/descriptor.ts").replaceAll("\\", "/");
  return text
    .replace(descriptor, () => `fileOf(${literal}, [${symbols.join(", ")}])`)
    .split("\n")
    .flatMap((line) => leanImport(line, symbols, hydrate))
    .join("\n");
}

/** A line of a module; if it imports, then only what the lean module uses. */
function leanImport(line: string, symbols: string[], hydrate: string): string[] {
  const [, names = "", from] = /^import \{ (.+) \} from "(.+)";$/.exec(line) ?? [];
  if (!from) return [line];
  const used = names
    .split(", ")
    .filter((name) => name !== "fileDesc" && (!name.startsWith("file_") || symbols.includes(name)));
  return [
    ...(used.length > 0 ? [`import { ${used.join(", ")} } from "${from}";`] : []),
    ...(names.includes("fileDesc") ? [`import { fileOf } from "${hydrate}";`] : []),
  ];
}

/** The imports whose types a file names in its fields, methods and extensions. */
function neededFiles(file: DescFile): DescFile[] {
  const types = [
    ...file.messages.flatMap(typesIn),
    ...file.extensions.flatMap((one) => [one.extendee, ...typesOf(one)]),
    ...file.services.flatMap(({ methods }) =>
      methods.flatMap(({ input, output }) => [input, output]),
    ),
  ];
  const needed = new Set(types.map((type) => type.file).filter((one) => one !== file));
  for (const one of needed) {
    if (!file.dependencies.includes(one))
      throw new Error(`${file.name} does not import ${one.name}`);
  }
  return [...needed];
}

const typesIn = ({ fields, nestedMessages }: DescMessage): { file: DescFile }[] => [
  ...fields.flatMap(typesOf),
  ...nestedMessages.flatMap(typesIn),
];

const typesOf = ({ message, enum: ofEnum }: DescField | DescExtension): { file: DescFile }[] =>
  [message, ofEnum].filter((type) => type !== undefined);
