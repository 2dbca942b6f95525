// Runs a program for wasm32-wasip1, for which a new directory is mounted as /tmp. Usage: node run.mjs PROGRAM.wasm [ARGUMENT..]
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WASI } from "node:wasi";

const [program, ...rest] = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), "vierbein-wasi-"));
let code = 1;
try {
    const wasi = new WASI({ version: "preview1", args: [program, ...rest], preopens: { "/tmp": directory } });
    const module = await WebAssembly.compile(readFileSync(program));
    code = wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
} finally {
    rmSync(directory, { recursive: true });
}
process.exit(code);
