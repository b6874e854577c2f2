/** What an operation is, and how a call is asked for. */
export {};
