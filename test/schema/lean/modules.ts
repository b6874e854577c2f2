/** Every descriptor of schema/gen as a Worker has it. */
import { readdirSync } from "node:fs";
import { createRegistry, type DescFile, type DescMessage } from "@bufbuild/protobuf";

const gen = new URL("../../../schema/gen/", import.meta.url);

async function fileIn(path: string): Promise<DescFile> {
  const module: Record<string, { kind?: string }> = await import(new URL(path, gen).href);
  return Object.values(module).find(({ kind }) => kind === "file") as DescFile;
}

const paths = readdirSync(gen, { recursive: true, encoding: "utf8" });

/** Lean files, by the path of their module. */
export const leanFiles: DescFile[] = await Promise.all(
  paths.filter((path) => path.endsWith("_pb.js")).map(fileIn),
);

/** Lean types by name. */
export const lean = createRegistry(...leanFiles);

/** The messages of a file, those within others too. */
export const messagesIn = (messages: readonly DescMessage[]): DescMessage[] =>
  messages.flatMap((one) => [one, ...messagesIn(one.nestedMessages)]);
