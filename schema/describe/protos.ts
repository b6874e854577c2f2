/** Reads the protos with their comments, which the generated JavaScript does not contain. */
import { execFileSync } from "node:child_process";
import {
  createFileRegistry,
  type DescField,
  type DescMethod,
  type DescService,
  type FileRegistry,
  fromBinary,
} from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { getComments } from "@bufbuild/protoplugin";

/** Anything that can have a comment. */
export type Described = Parameters<typeof getComments>[0];

/** Compiles schema/proto of a project with buf, which must be on the PATH. */
export function readProtos(root: string): FileRegistry {
  const image = execFileSync("buf", ["build", "schema", "-o", "-#format=binpb"], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  return createFileRegistry(fromBinary(FileDescriptorSetSchema, image));
}

/** Returns the comment of a declaration as paragraphs separated by an empty line, or an empty string. */
export function commentOf(desc: Described): string {
  const text = getComments(desc).leading ?? "";
  return text
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim().replace(/\s*\n\s*/g, " "))
    .filter((paragraph) => paragraph !== "")
    .join("\n\n");
}

/** Returns the services of the platform, in the order of their packages and files. */
export function servicesOf(registry: FileRegistry): DescService[] {
  return [...registry.files]
    .filter(({ proto }) => proto.package.startsWith("platform."))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((file) => file.services);
}

/** Returns the paths of the variables in a REST path, such as `repo.uid`. */
export const pathVariables = (path: string): string[] =>
  [...path.matchAll(/\{([^}=]+)(?:=[^}]*)?\}/g)].map(([, name = ""]) => name);

/** Returns the field of a message by its proto name. Throws an Error if there is none. */
export function requireField(fields: readonly DescField[], name: string): DescField {
  const named = fields.find((field) => field.name === name);
  if (!named) throw new Error(`there is no field ${name}`);
  return named;
}

/** Whether the response of an RPC is empty, unless the call only validates (AIP-163). */
export const isEmptyUnlessValidating = ({ output }: DescMethod): boolean =>
  output.typeName === "platform.iam.access_changes.v2.DeleteResponse";
