/** A folder with a Dockerfile and a manifest, and the images that they use. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, beforeEach, expect } from "vitest";
import {
  addMoves,
  firstMove,
  hourMs,
  newImage,
  newVerified,
} from "../../distribution/stored_images.ts";
import type { Organization } from "../../world/personas.ts";
import { baseUrl } from "../../world/platform.ts";
import {
  type CommandOptions,
  commandsOf,
  newFolder,
  newStateFolder,
  type ProgramResult,
} from "../command.ts";

/** The world of a test file. The hooks of {@link useLockFolder} fill it. */
export const world = {
  /** The image with the tags `latest` and `1.0`, with the host of the registry. */
  image: "",
  /** The current folder, which is new for each test. */
  cwd: "",
  organization: undefined as unknown as Organization,
  env: {} as NodeJS.ProcessEnv,
  platformctl: undefined as unknown as (
    args: string[],
    options?: CommandOptions,
  ) => Promise<ProgramResult>,
};

export const host = () => new URL(baseUrl()).host;

/** The time of the record n of a tag, in RFC 3339. */
export const at = (n: number, milliseconds = 0) =>
  new Date(firstMove + n * hourMs + milliseconds).toISOString();

/** Creates the images before the tests of a file, and a folder before each test. */
export function useLockFolder(): void {
  beforeAll(async () => {
    const organization = await newVerified();
    const repo = await newImage(organization, "python");
    const command = await commandsOf(organization);
    await addMoves(repo, "1.0", 2);
    Object.assign(world, {
      organization,
      image: `${host()}/${organization.name}/python`,
      platformctl: (args: string[], options: CommandOptions) =>
        command(args, { cwd: world.cwd, ...options }),
      env: { PLATFORM_STATE: await newStateFolder(organization, { registryUrl: baseUrl() }) },
    });
  });
  beforeEach(async () => {
    const { image } = world;
    world.cwd = await newFolder();
    write("Dockerfile", `FROM ${image}  # newest\n`);
    const pod = [
      "apiVersion: v1",
      "kind: Pod",
      "spec:",
      "  containers:",
      `    - image: ${image}:1.0`,
    ];
    write("k8s/pod.yaml", `${pod.join("\n")}\n`);
  });
}

export function write(path: string, text: string): void {
  mkdirSync(dirname(join(world.cwd, path)), { recursive: true });
  writeFileSync(join(world.cwd, path), text);
}

export const read = (path: string) => readFileSync(join(world.cwd, path), "utf8");

export const readLock = () => JSON.parse(read("platform.lock"));

/** Runs `platformctl lock`. */
export const lock = (...args: string[]) => world.platformctl(["lock", ...args], { env: world.env });

/** Runs the command and returns its rows. It must succeed. */
export async function rows(...args: string[]): Promise<string[][]> {
  const { code, out, err } = await lock(...args);
  expect({ code, err }).toEqual({ code: 0, err: expect.any(String) });
  return rowsOf(out);
}

export const rowsOf = (out: string): string[][] =>
  out
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t"));

/** Returns the tags in the lock, with the numbers of their digests. */
export const digests = () =>
  Object.values(readLock().images as Record<string, { tag: string; digest: string }>).map(
    ({ tag, digest }) => `${tag} ${Number.parseInt(digest.slice(-4), 16)}`,
  );
