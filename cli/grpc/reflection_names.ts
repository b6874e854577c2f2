/**
 * The protos under the other names that calls may use (src/rpc/names.ts): with the vendor's name in front, with v2beta1
 * instead of v2, or with both. Clients of reflection get files in which all names have that form. Options are the
 * exception, because an extension has one number and therefore one name.
 */
import { clone, type DescFile, type DescMessage, getOption } from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import {
  type DescriptorProto,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
} from "@bufbuild/protobuf/wkt";
import { vendor_named } from "../../schema/gen/platform/annotations/v1/annotations_pb.js";

/** A kind of name: the vendor's name, or an empty string, and whether v2 is called v2beta1. */
export interface Naming {
  vendor: string;
  isBeta: boolean;
}

/** Returns the naming of a full name or of a path of a file. */
export function namingOf(name: string, vendor: string): Naming {
  const isVendors = vendor !== "" && new RegExp(`^${vendor}[./]platform[./]`).test(name);
  const own = isVendors ? name.slice(vendor.length + 1) : name;
  return {
    vendor: isVendors ? vendor : "",
    isBeta: /^platform([./])\w+(?:\1\w+)?\1v2beta1\1/.test(own),
  };
}

/** Our own options. Their numbers are in use once a client has read them under one name. */
const isOptions = (name: string) => /^platform[./]annotations[./]/.test(name);

/** Returns one of our full names, packages or paths in another naming. */
function otherName(name: string, { vendor, isBeta }: Naming): string {
  const mark = name.includes("/") ? "/" : ".";
  if (!name.startsWith(`platform${mark}`) || isOptions(name)) return name;
  const versioned = isBeta
    ? name.replace(/^(platform(?:[./]\w+){1,2}[./])v2(?=[./]|$)/, "$1v2beta1")
    : name;
  return vendor === "" ? versioned : `${vendor}${mark}${versioned}`;
}

/** A field that is named after the vendor, and its type, which is declared in the same message. */
interface Named {
  field: string;
  type: string;
}

/** Returns these fields by the name of their message. Leaves out a message that declares the vendor's name itself. */
function vendorNamed(files: readonly DescFile[], vendor: string): Map<string, Named> {
  const fields = new Map<string, Named>();
  for (const message of files.flatMap((file) => [...nestedTypes(file)])) {
    if (message.kind !== "message") continue;
    const field = message.fields.find((candidate) => getOption(candidate, vendor_named));
    if (!field?.message || declares(message, vendor)) continue;
    fields.set(message.typeName, { field: field.name, type: field.message.name });
  }
  return fields;
}

const declares = ({ fields, nestedMessages }: DescMessage, vendor: string) =>
  fields.some(({ name }) => name === vendor) ||
  nestedMessages.some(({ name }) => name === capitalized(vendor));

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** Returns the files with other names. Names that are not ours stay the same. */
export function renamedFiles(files: readonly DescFile[], naming: Naming): FileDescriptorProto[] {
  const named = naming.vendor === "" ? new Map() : vendorNamed(files, naming.vendor);
  const typeName = (name: string) => {
    let own = name.replace(/^\./, "");
    for (const [message, { type }] of named) {
      const inner = `${message}.${type}`;
      if (own === inner || own.startsWith(`${inner}.`)) {
        own = `${message}.${capitalized(naming.vendor)}${own.slice(inner.length)}`;
      }
    }
    return own === "" ? "" : `.${otherName(own, naming)}`;
  };
  const rename = (message: DescriptorProto, path: string) => {
    const { field: own, type } = named.get(path) ?? {};
    for (const field of message.field) {
      if (field.name === own) field.name = field.jsonName = naming.vendor;
      field.typeName = typeName(field.typeName);
    }
    for (const inner of message.nestedType) {
      rename(inner, `${path}.${inner.name}`);
      if (inner.name === type) inner.name = capitalized(naming.vendor);
    }
  };
  return files.map(({ proto }) => {
    const name = otherName(proto.name, naming);
    if (name === proto.name) return proto;
    const file = clone(FileDescriptorProtoSchema, proto);
    for (const message of file.messageType) rename(message, `${proto.package}.${message.name}`);
    for (const method of file.service.flatMap((service) => service.method)) {
      method.inputType = typeName(method.inputType);
      method.outputType = typeName(method.outputType);
    }
    const dependency = file.dependency.map((path) => otherName(path, naming));
    return Object.assign(file, {
      name,
      package: otherName(proto.package, naming),
      dependency,
      extension: [],
    });
  });
}
