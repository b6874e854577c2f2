/**
 * The protos with all their options, for programs that describe the API: reflection, the generators, checks
 * and tests. A Worker has the descriptors in schema/gen instead.
 */
import { readFileSync } from "node:fs";
import {
  createFileRegistry,
  type DescFile,
  type DescService,
  fromBinary,
} from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

const descriptorsFile = new URL("gen/descriptors.binpb", import.meta.url);

/** Every file of schema/proto, and every file that one of them imports. */
export const registry = createFileRegistry(
  fromBinary(FileDescriptorSetSchema, readFileSync(descriptorsFile)),
);

/** Every file of schema/proto, by its path. */
export const files: readonly DescFile[] = [...registry.files]
  .filter(({ name }) => name.startsWith("platform/"))
  .sort((a, b) => (a.name < b.name ? -1 : 1));

/** Every service, by the path of its file. */
export const services: readonly DescService[] = files.flatMap((file) => file.services);
