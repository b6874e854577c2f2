/** Reads the documents of an image (OCI image specification). They come from others, so nothing in them is certain. */
import type { ImageContents } from "../../client/index.ts";
import { isDigest } from "../data/digests.ts";
import { shellWord } from "../data/shell.ts";

type Json = Record<string, unknown>;

const objectOf = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
const textsOf = (value: unknown): string[] =>
  listOf(value).filter((text): text is string => typeof text === "string");
const sizeOf = (value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : 0;
/** The pairs of names and values with texts. */
const pairsOf = (value: unknown): [string, string][] =>
  Object.entries(objectOf(value)).filter(
    (pair): pair is [string, string] => typeof pair[1] === "string",
  );

/** Content that a manifest names. */
export interface Descriptor {
  digest: string;
  /** In bytes. */
  size: number;
  mediaType: string;
}

function descriptorOf(value: unknown): Descriptor | undefined {
  const { digest, size, mediaType } = objectOf(value);
  if (typeof digest !== "string" || !isDigest(digest)) return undefined;
  return { digest, size: sizeOf(size), mediaType: textOf(mediaType) ?? "unknown" };
}

/** A manifest in an index. */
export interface Part extends Descriptor {
  /** Such as `linux/arm64` or `linux/arm/v7`. Undefined for an attestation and other parts without a platform. */
  platform: string | undefined;
  /** The digest of the manifest that an attestation is about. */
  about: string | undefined;
}

/** The manifests of an index, in its order. */
export const partsOf = ({ manifest }: ImageContents): Part[] =>
  listOf(manifest.manifests).flatMap((value) => {
    const descriptor = descriptorOf(value);
    if (!descriptor) return [];
    const { platform, annotations } = objectOf(value);
    const about = textOf(objectOf(annotations)["vnd.docker.reference.digest"]);
    return [{ ...descriptor, platform: platformOf(platform), about }];
  });

function platformOf(value: unknown): string | undefined {
  const { os, architecture, variant } = objectOf(value);
  if (typeof architecture !== "string" || architecture === "unknown") return undefined;
  return [textOf(os) ?? "unknown", architecture, textOf(variant)].filter(Boolean).join("/");
}

/** A step of the build: a layer, or a change of the configuration that has none. */
export interface BuildStep {
  layer?: Descriptor;
  /** The line that made it. */
  createdBy?: string;
  /** A time as the builder wrote it. */
  created?: string;
}

/** The steps of the build, the oldest first. Layers without a line in the history come last. */
export function buildSteps({ manifest, config = {} }: ImageContents): BuildStep[] {
  const layers = listOf(manifest.layers).flatMap((layer) => descriptorOf(layer) ?? []);
  const steps = listOf(config.history).map((value): BuildStep => {
    const { created_by, created, empty_layer, comment } = objectOf(value);
    const layer = empty_layer === true ? undefined : layers.shift();
    const line = textOf(created_by) ?? textOf(comment);
    const time = textOf(created);
    return {
      ...(layer ? { layer } : {}),
      ...(line === undefined ? {} : { createdBy: line }),
      ...(time === undefined ? {} : { created: time }),
    };
  });
  return [...steps, ...layers.map((layer) => ({ layer }))];
}

/** The settings with which a container starts. */
export interface ImageSettings {
  entrypoint: string[];
  command: string[];
  environment: string[];
  workingDirectory: string | undefined;
  user: string | undefined;
  ports: string[];
  volumes: string[];
  stopSignal: string | undefined;
  labels: [string, string][];
}

export function settingsOf({ config }: ImageContents): ImageSettings {
  const settings = objectOf(config?.config);
  return {
    entrypoint: textsOf(settings.Entrypoint),
    command: textsOf(settings.Cmd),
    environment: textsOf(settings.Env),
    workingDirectory: textOf(settings.WorkingDir),
    user: textOf(settings.User),
    ports: Object.keys(objectOf(settings.ExposedPorts)),
    volumes: Object.keys(objectOf(settings.Volumes)),
    stopSignal: textOf(settings.StopSignal),
    labels: pairsOf(settings.Labels),
  };
}

/** The properties of an image that have one line each. */
export interface ImageFacts {
  isIndex: boolean;
  platform: string | undefined;
  created: string | undefined;
  author: string | undefined;
  /** The type of an artifact that is not an image, such as a signature. */
  artifactType: string | undefined;
  /** The digest that a referrer is about. */
  subject: string | undefined;
  annotations: [string, string][];
  /** The bytes to pull. */
  size: number;
}

export function factsOf({ manifest, config = {} }: ImageContents): ImageFacts {
  const parts = [manifest.config, ...listOf(manifest.layers)];
  return {
    isIndex: Array.isArray(manifest.manifests),
    platform: platformOf(config),
    created: textOf(config.created),
    author: textOf(config.author),
    artifactType: textOf(manifest.artifactType),
    subject: descriptorOf(manifest.subject)?.digest,
    annotations: pairsOf(manifest.annotations),
    size: parts.reduce((sum: number, part) => sum + sizeOf(objectOf(part).size), 0),
  };
}

/** Reports whether a time of a build is the one that reproducible builds write. */
export const isUnset = (time: string): boolean => Date.parse(time) <= 0;

/** Arguments as one line of a shell. */
export const commandLine = (words: readonly string[]): string => words.map(shellWord).join(" ");
