// Written by schema/client/write.ts out of schema/proto. Do not edit.
export {};
