// Unit tests start no process and open no socket: those are services, which `pnpm dev` does not wait for.
import child from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";

function refuse(): never {
  throw new Error("A unit test starts no process and opens no socket: name its file *.service.test.ts.");
}

Object.assign(child, { spawn: refuse, spawnSync: refuse, exec: refuse, execSync: refuse, fork: refuse });
Object.assign(child, { execFile: refuse, execFileSync: refuse });
net.Server.prototype.listen = refuse;
net.Socket.prototype.connect = refuse;
syncBuiltinESMExports();
