/** The protos with their comments, which the generated JavaScript does not carry. */
import { execFileSync } from "node:child_process";
import {
  createFileRegistry,
  type DescField,
  type DescService,
  type FileRegistry,
  fromBinary,
} from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { getComments } from "@bufbuild/protoplugin";

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

/** Paths of the variables of a REST path: `repo.uid`. */
export const pathVariables = (path: string): string[] =>
  [...path.matchAll(/\{([^}=]+)(?:=[^}]*)?\}/g)].map(([, name = ""]) => name);

/** The field of a message by its proto name. Throws if there is none. */
export function requireField(fields: readonly DescField[], name: string): DescField {
  const found = fields.find((field) => field.name === name);
  if (!found) throw new Error(`there is no field ${name}`);
  return found;
}
