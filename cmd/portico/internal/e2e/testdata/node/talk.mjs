// What a program here says to the test that runs it: one JSON object a line.
// The test answers "open" with the address that the browser was sent to.
import { createInterface } from 'node:readline'

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()

// open lets a person go to the address and returns where that ended.
export async function open(address) {
  console.log(JSON.stringify({ open: String(address) }))
  return new URL((await lines.next()).value)
}

// done hands over what the program found out, and ends it.
export function done(found) {
  console.log(JSON.stringify({ done: found }))
  process.exit(0)
}
