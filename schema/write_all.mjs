// Writes all generated files into the project of this file. `npm run gen` runs it in a copy
// (schema/generate.mjs).

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { getOption, hasOption, ScalarType } from "@bufbuild/protobuf";
import { FieldDescriptorProto_Label } from "@bufbuild/protobuf/wkt";
import {
  file_buf_validate_validate,
  predefined,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";

const schema = dirname(fileURLToPath(import.meta.url));
const root = dirname(schema);
const gen = join(schema, "gen");

const failed = { buf: 2, entry: 3 };

try {
  writeRules();
  buf("generate", "--template", "schema/buf.gen.yaml");
  buf(
    "build",
    "schema",
    "--exclude-source-info",
    "--as-file-descriptor-set",
    "-o",
    join(gen, "descriptors.binpb"),
  );
  await writeTheRest();
} catch (error) {
  // The errors of buf are already on the terminal. A writer refuses its input with an Error and a sentence.
  // Any other class is a bug in a writer, and its stack is needed.
  if (error.status !== undefined) process.exitCode = failed.buf;
  else if (Object.getPrototypeOf(error) !== Error.prototype) throw error;
  else {
    console.error(error.message);
    process.exitCode = failed.entry;
  }
}

function buf(...args) {
  const path = join(root, "node_modules/.bin") + delimiter + process.env.PATH;
  execFileSync("buf", args, { cwd: root, env: { ...process.env, PATH: path }, stdio: "inherit" });
}

/** buf generates the files that the writers import. */
async function writeTheRest() {
  const { writeServiceNames } = await import("./describe/service_names.ts");
  writeServiceNames(gen);
  const { writeScopedRequests } = await import("./describe/scoped_requests.ts");
  writeScopedRequests(gen);
  const { readProtos } = await import("./describe/protos.ts");
  const registry = readProtos(root);
  const { writeCatalog } = await import("./describe/catalog.ts");
  writeCatalog(root, registry);
  const { writeEventTypes } = await import("./describe/event_types.ts");
  writeEventTypes(gen, registry);
  const { writeClient } = await import("./client/write.ts");
  writeClient(root, registry);
  const { writeTools } = await import("./mcp/write.ts");
  writeTools(root, registry);
  const { writeOpenapi } = await import("./openapi/document.ts");
  writeOpenapi(root, registry);
  const { writeWranglerToml } = await import("./deployment/write.ts");
  writeWranglerToml(root);
  const { writeScimSchemas } = await import("./scim/write.ts");
  writeScimSchemas(gen);
}

function writeRules() {
  const rules = join(schema, "third_party/buf/validate/validate.proto");
  mkdirSync(dirname(rules), { recursive: true });
  writeFileSync(rules, printFile(file_buf_validate_validate));
}

// The package of the validator contains its schema only as a descriptor. The source is printed from that, as
// far as a proto2 file without services, groups and defaults needs it.
function printFile(file) {
  const { proto } = file;
  return `// Printed from the descriptor in the npm package @bufbuild/protovalidate (Apache-2.0), without comments.

syntax = "proto2";

package ${proto.package};

${proto.dependency.map((path) => `import "${path}";\n`).join("")}
${file.extensions.map(printExtension).join("\n")}
${file.enums.map(printEnum).join("\n")}
${file.messages.map(printMessage).join("\n")}`;
}

function printExtension(ext) {
  return `extend ${ext.extendee.typeName} {\n${printField(ext)}}\n`;
}

function printEnum({ name, proto, values }) {
  const lines = values.map((value) => `  ${value.name} = ${value.number};\n`);
  const last = (range) => range.end;
  return `enum ${name} {\n${printReserved(proto, last)}${lines.join("")}}\n`;
}

function printMessage(message) {
  const { name, proto } = message;
  // The ranges of a message in the descriptor do not include `end`.
  const last = (range) => range.end - 1;
  const extensions = proto.extensionRange.map((r) => `  extensions ${r.start} to ${last(r)};\n`);
  const members = message.members.map((member) =>
    member.kind === "oneof"
      ? `  oneof ${member.name} {\n${member.fields.map(printField).join("")}  }\n`
      : printField(member),
  );
  const nested = [
    ...message.nestedEnums.map(printEnum),
    ...message.nestedMessages.map(printMessage),
    ...message.nestedExtensions.map(printExtension),
  ];
  return `message ${name} {\n${nested.join("")}${printReserved(proto, last)}${extensions.join("")}${members.join("")}}\n`;
}

function printReserved({ reservedRange, reservedName }, last) {
  const ranges = reservedRange.map((range) => `  reserved ${range.start} to ${last(range)};\n`);
  const names = reservedName.map((name) => `  reserved "${name}";\n`);
  return [...ranges, ...names].join("");
}

function printField(field) {
  const { name, number, label } = field.proto;
  const options = hasOption(field, predefined)
    ? getOption(field, predefined).cel.map(({ id, message, expression }) => {
        const members = Object.entries({ id, message, expression }).filter(([, text]) => text);
        return `(predefined).cel = {${members.map(([k, v]) => `${k}: ${JSON.stringify(v)}`).join(", ")}}`;
      })
    : [];
  return `  ${printLabel(field, label)}${printType(field)} ${name} = ${number}${
    options.length > 0 ? ` [${options.join(", ")}]` : ""
  };\n`;
}

function printLabel(field, label) {
  if (field.oneof || field.fieldKind === "map") return "";
  return `${FieldDescriptorProto_Label[label].toLowerCase()} `;
}

function printType({ fieldKind, listKind, mapKind, mapKey, scalar, message, enum: enumeration }) {
  if (fieldKind === "map") {
    return `map<${ScalarType[mapKey].toLowerCase()}, ${printType({ fieldKind: mapKind, scalar, message, enum: enumeration })}>`;
  }
  if ((listKind ?? fieldKind) === "scalar") return ScalarType[scalar].toLowerCase();
  return `.${(message ?? enumeration).typeName}`;
}
