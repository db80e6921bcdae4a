// Package rawjson walks over JSON that is known to be well-formed, such as the
// body of a request that was checked as a whole. Values are parts of the text:
// nothing is decoded, copied or kept, so that a walk takes no memory, whatever
// the text holds, and a value that nobody looks at costs no more than its bytes.
//
// What any function does with text that is not well-formed is not defined; it may
// panic.
package rawjson
