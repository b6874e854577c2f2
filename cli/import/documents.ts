/** The JSON documents of a file: a single one, an array of documents, or one per line. */
import type { JsonValue } from "@bufbuild/protobuf";
import { exitCodes, Failure } from "../failure.ts";
import { readLineObject } from "./json_line.ts";
import { type InputLine, type InputSource, readLines } from "./lines.ts";

/** The most bytes of a file that is not JSON lines, because such a file is held in memory. */
const maxBytes = 256 * 1024 * 1024;

const badInput = (message: string) => new Failure(exitCodes.badInput, "BAD_INPUT", message);

/**
 * Returns the documents of a source, numbered from 1. The number is the line if the first line is a complete document,
 * otherwise the position. After the first document is read, `unit` says which of the two it is. Throws a BAD_INPUT
 * Failure if the file is not JSON.
 */
export function readDocuments(source: InputSource): {
  documents: AsyncIterable<InputLine>;
  unit: () => string;
} {
  let unit = "document";
  async function* documents(): AsyncGenerator<InputLine> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const line of readLines(source)) {
      if (chunks.length === 0 && (unit === "line" || "object" in readLineObject(line))) {
        unit = "line";
        yield line;
        continue;
      }
      chunks.push(line.bytes);
      size += line.bytes.length;
      if (size > maxBytes)
        throw badInput(`${source.name} must not be larger than ${maxBytes} bytes.`);
    }
    if (chunks.length > 0)
      yield* splitDocuments(Buffer.concat(chunks.flatMap((chunk) => [chunk, newline])), source);
  }
  return { documents: documents(), unit: () => unit };
}

const newline = Buffer.from("\n");

/** Returns the document, or each document of an array. */
function* splitDocuments(bytes: Buffer, { name }: InputSource): Generator<InputLine> {
  let value: JsonValue;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    const why = error instanceof TypeError ? "UTF-8 text" : `JSON: ${(error as Error).message}`;
    throw badInput(`${name} is not ${why}`);
  }
  for (const [i, item] of (Array.isArray(value) ? value : [value]).entries()) {
    yield { number: i + 1, bytes: Buffer.from(JSON.stringify(item)) };
  }
}
