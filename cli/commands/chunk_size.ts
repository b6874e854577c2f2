/** The option `--chunk-size` of the commands that push. */
import { InvalidArgumentError, Option } from "commander";
import { defaultChunkSize } from "../images/chunks.ts";

/** Returns the option. Its value is a number of MiB. */
export const chunkSizeOption = (): Option =>
  new Option("--chunk-size <mebibytes>", "Largest request in MiB.")
    .argParser(parseChunkSize)
    .default(defaultChunkSize);

function parseChunkSize(text: string): number {
  const size = Number(text);
  if (Number.isInteger(size) && size >= 1 && size <= 5000) return size;
  throw new InvalidArgumentError("It must be a number of MiB from 1 to 5000.");
}
