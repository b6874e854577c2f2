#!/usr/bin/env node
import { launch } from "./launch.js";

launch("./commands/docker_credential.ts");
