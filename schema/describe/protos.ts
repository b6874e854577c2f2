/** The protos with their comments, which the generated JavaScript does not carry. */
import { execFileSync } from "node:child_process";
import {
  createFileRegistry,
  type DescField,
  type DescMethod,
  type DescService,
  type FileRegistry,
  fromBinary,
  getOption,
  hasOption,
} from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { getComments } from "@bufbuild/protoplugin";
import { http } from "../gen/google/api/annotations_pb.js";
import { left_out } from "../gen/platform/annotations/v1/annotations_pb.js";

/** What may have a comment. */
export type Described = Parameters<typeof getComments>[0];

/** Compiles schema/proto of a project with buf, which has to be on the PATH. */
export function readProtos(root: string): FileRegistry {
  const image = execFileSync("buf", ["build", "-o", "-#format=binpb"], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  return createFileRegistry(fromBinary(FileDescriptorSetSchema, image));
}

/** The comment in front of something, as paragraphs parted by an empty line; empty if there is none. */
export function commentOf(desc: Described): string {
  const text = getComments(desc).leading ?? "";
  return text
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim().replace(/\s*\n\s*/g, " "))
    .filter((paragraph) => paragraph !== "")
    .join("\n\n");
}

/** The services of the platform, in the order of their packages and files. */
export function servicesOf(registry: FileRegistry): DescService[] {
  return [...registry.files]
    .filter(({ proto }) => proto.package.startsWith("platform."))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((file) => file.services);
}

/** Why a method is of the contract and not served, or undefined if it is served. */
export const leftOut = (method: DescMethod): string | undefined =>
  hasOption(method, left_out) ? getOption(method, left_out) : undefined;

/** A REST rule of a method: `{uid=**}` in the path as it stands in the proto. */
export type HttpRule = { verb: string; path: string; body: string };

/** The REST rules of a method, the main one first; none if it is called over gRPC and Connect only. */
export function httpRulesOf(method: DescMethod): HttpRule[] {
  if (!hasOption(method, http)) return [];
  const rule = getOption(method, http);
  return [rule, ...rule.additionalBindings].map(({ pattern, body }) => ({
    verb: pattern.case ?? "",
    path: typeof pattern.value === "string" ? pattern.value : "",
    body,
  }));
}

/** Paths of the variables of a REST path: `repo.uid`. */
export const pathVariables = (path: string): string[] =>
  [...path.matchAll(/\{([^}=]+)(?:=[^}]*)?\}/g)].map(([, name = ""]) => name);

/** The field of a message by its proto name. Throws if there is none. */
export function fieldOf(fields: readonly DescField[], name: string): DescField {
  const found = fields.find((field) => field.name === name);
  if (!found) throw new Error(`there is no field ${name}`);
  return found;
}
