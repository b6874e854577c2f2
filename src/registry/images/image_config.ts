/**
 * The settings for running a container of an image, from its OCI image configuration
 * (https://github.com/opencontainers/image-spec/blob/v1.1.0/config.md; Docker's is the same).
 */
import { create, type JsonObject, type JsonValue, toJson } from "@bufbuild/protobuf";
import { ImageConfigSchema } from "../../../schema/gen/platform/registry/images_pb.js";
import { invalidArgument } from "../../aip/errors.ts";
import { readJson } from "../../aip/text.ts";
import { toArchitecture } from "./platforms.ts";

/** The media types of an image configuration. Other types are not image configurations. */
export const configTypes = [
  "application/vnd.oci.image.config.v1+json",
  "application/vnd.docker.container.image.v1+json",
];

/** The stored part of a configuration. */
export interface StoredConfig {
  /** `amd64`, or with its variant `arm/v7`. */
  architecture: string;
  /** The operating system, such as `linux`. */
  os: string;
  /** When the image was built, in milliseconds since 1970 in UTC. Null if it is unknown. */
  imageTime: number | null;
  /** The JSON of a platform.registry.ImageConfig. */
  config: JsonValue;
}

const invalidConfig = (path: string, what: string) =>
  invalidArgument("config", `config: ${path === "" ? "the document" : path} ${what}`);

/**
 * Reads the bytes of a configuration whose manifest gives it the type `mediaType`. Throws INVALID_ARGUMENT
 * for `config` and the place in it.
 */
export function readImageConfig(bytes: Uint8Array, mediaType: unknown): StoredConfig {
  if (mediaType !== undefined && !configTypes.includes(mediaType as string)) {
    throw invalidArgument("config", `config must have one of the types ${configTypes.join(", ")}`);
  }
  const document = objectOf(readJson(bytes, invalidConfig), "");
  const config = objectOf(document.config ?? {}, "config");
  const architecture = textOf(document.architecture, "architecture");
  const variant = textOf(document.variant, "variant");
  if (architecture === "") throw invalidConfig("architecture", "is required");
  const message = create(ImageConfigSchema, {
    user: textOf(config.User, "config.User"),
    exposedPorts: namesOf(config.ExposedPorts, "config.ExposedPorts"),
    env: textsOf(config.Env, "config.Env"),
    entrypoint: textsOf(config.Entrypoint, "config.Entrypoint"),
    cmd: textsOf(config.Cmd, "config.Cmd"),
    volumes: namesOf(config.Volumes, "config.Volumes"),
    workingDir: textOf(config.WorkingDir, "config.WorkingDir"),
    labels: Object.fromEntries(
      Object.entries(objectOf(config.Labels ?? {}, "config.Labels")).map(([name, value]) => [
        name,
        textOf(value, `config.Labels[${JSON.stringify(name)}]`),
      ]),
    ),
    stopSignal: textOf(config.StopSignal, "config.StopSignal"),
  });
  return {
    architecture: toArchitecture(architecture, variant),
    os: textOf(document.os, "os"),
    imageTime: timeOf(textOf(document.created, "created")),
    config: toJson(ImageConfigSchema, message),
  };
}

function objectOf(value: JsonValue, path: string): JsonObject {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw invalidConfig(path, "must be a JSON object");
}

/** Builders write null for absent values. */
function textOf(value: JsonValue | undefined, path: string): string {
  if (typeof (value ?? "") !== "string") throw invalidConfig(path, "must be a string");
  return (value ?? "") as string;
}

/** Reproducible builds write 1970 or nothing. A text that is not a time does not make the image unusable. */
function timeOf(text: string): number | null {
  const time = Date.parse(text);
  return time >= 0 && time <= maxTime ? time : null;
}

/** The last millisecond of the year 9999, as in google.protobuf.Timestamp. */
const maxTime = 253_402_300_799_999;

function textsOf(value: JsonValue | undefined, path: string): string[] {
  const list = value ?? [];
  if (!Array.isArray(list)) throw invalidConfig(path, "must be a list");
  return list.map((item, index) => textOf(item, `${path}[${index}]`));
}

/** A set is an object whose values are empty objects. */
const namesOf = (value: JsonValue | undefined, path: string) =>
  Object.fromEntries(Object.keys(objectOf(value ?? {}, path)).map((name) => [name, {}]));
