// Written by schema/generate.mjs. Do not edit.

import type { DescFile, DescService } from "@bufbuild/protobuf";

/** Every file of schema/proto, by path. */
export declare const files: readonly DescFile[];

/** Every service, by the path of its file. */
export declare const services: readonly DescService[];
