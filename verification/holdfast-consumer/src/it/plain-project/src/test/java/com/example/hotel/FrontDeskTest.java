package com.example.hotel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FrontDeskTest {

    @Test
    void locksWorkAcrossTheModuleBoundary() {
        try (Holdfast holdfast = Holdfast.connect("memory:")) {
            FrontDesk desk = new FrontDesk(holdfast);

            assertEquals(1, desk.checkIn("Ada"));
            assertEquals(2, desk.checkIn("Grace"));
            try (Lease pause = desk.takeABreak()) {
                pause.ensureHeld();
                assertFalse(desk.isOpen());
            }
            assertTrue(desk.isOpen());
        }
    }

    @Test
    void holdfastIsAModuleThatHidesItsEngine() {
        Module holdfast = Holdfast.class.getModule();

        assertEquals("io.holdfast", holdfast.getName());
        assertFalse(holdfast.getDescriptor().isAutomatic());
        assertTrue(holdfast.isExported("io.holdfast"));
        assertTrue(holdfast.isExported("io.holdfast.spi"));
        assertFalse(holdfast.isExported("io.holdfast.internal", FrontDesk.class.getModule()));
    }

    @Test
    void holdfastBringsNoOtherModuleWhenItRuns() {
        Set<String> modules = ModuleLayer.boot().modules().stream()
                .map(Module::getName)
                .filter(name -> !name.startsWith("java.") && !name.startsWith("jdk."))
                .collect(Collectors.toSet());

        assertEquals(Set.of("com.example.hotel", "io.holdfast"), modules);
    }

    @Test
    void onlyAnnotationsComeWithTheCore() throws IOException {
        String classPath = Files.readString(Path.of(System.getProperty("compile.class.path")));
        Set<String> artifacts = Stream.of(classPath.strip().split(File.pathSeparator))
                .map(jar -> Path.of(jar).getFileName().toString().replaceFirst("-\\d.*", ""))
                .collect(Collectors.toSet());

        assertEquals(Set.of("holdfast-core", "jspecify"), artifacts);
    }
}
